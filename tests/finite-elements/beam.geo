// A beam of 1.0 × 0.02 × 0.04 m along x in bricks of second order, 40 × 2 × 4.
length = 1.0;
width = 0.02;
height = 0.04;
Point(1) = {0, -width/2, -height/2};
Point(2) = {0, width/2, -height/2};
Point(3) = {0, width/2, height/2};
Point(4) = {0, -width/2, height/2};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve {1, 3} = 3;
Transfinite Curve {2, 4} = 5;
Transfinite Surface {1};
Recombine Surface {1};
beam[] = Extrude {length, 0, 0} { Surface{1}; Layers{40}; Recombine; };
Physical Volume("BEAM") = {beam[1]};
Physical Surface("ROOT") = {1};
Physical Surface("TIP") = {beam[0]};
Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;
// Physical groups become sets of nodes.
Mesh.SaveGroupsOfNodes = 1;
