/* IDA and CVODE of SUNDIALS on the equations of a mechanism (EQUATIONS, written by mechanism.py).
 *
 * sundials ida|cvode TOLERANCE POINTS REPEAT: prints what is shown at so many instants, then the counts and the time of a run.
 * ida: descriptor form with q, v and two sets of multipliers, stabilised index 2 (Gear, Gupta, Leimkuhler 1985); multipliers are not in the error test.
 * cvode: q and v, multipliers eliminated at acceleration level (index 1), BDF.
 */
#include EQUATIONS
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <time.h>

enum { ROWS = C > 0 ? C : 1, ALL = N + C };

static double M[N * N], H[N], G[ROWS * N], GAMMA[ROWS], CLOSED[ROWS], RATE[ROWS], SEEN[SHOWN];
static long evaluations;

static void evaluate(double t, const double *q, const double *v) {
  evaluations++;
  terms(t, q, v, M, H, G, GAMMA, CLOSED, RATE, SEEN);
}

/* Accelerations and multipliers by elimination with row pivots. */
static int accelerations(double t, const double *q, const double *v, double *a) {
  static double A[ALL][ALL + 1];
  evaluate(t, q, v);
  memset(A, 0, sizeof A);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) A[i][j] = M[i * N + j];
    for (int c = 0; c < C; c++) A[i][N + c] = A[N + c][i] = G[c * N + i];
    A[i][ALL] = H[i];
  }
  for (int c = 0; c < C; c++) A[N + c][ALL] = GAMMA[c];
  for (int k = 0; k < ALL; k++) {
    int best = k;
    for (int i = k + 1; i < ALL; i++)
      if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
    for (int j = 0; j <= ALL; j++) {
      double kept = A[k][j];
      A[k][j] = A[best][j];
      A[best][j] = kept;
    }
    if (A[k][k] == 0) return 1;
    for (int i = k + 1; i < ALL; i++) {
      double factor = A[i][k] / A[k][k];
      if (factor != 0)
        for (int j = k; j <= ALL; j++) A[i][j] -= factor * A[k][j];
    }
  }
  for (int k = ALL - 1; k >= 0; k--) {
    double sum = A[k][ALL];
    for (int j = k + 1; j < ALL; j++) sum -= A[k][j] * a[j];
    a[k] = sum / A[k][k];
  }
  return 0;
}

static int explicit_rates(realtype t, N_Vector y, N_Vector yp, void *data) {
  double a[ALL], *x = NV_DATA_S(y), *out = NV_DATA_S(yp);
  (void)data;
  if (accelerations(t, x, x + N, a)) return 1;
  memcpy(out, x + N, N * sizeof *out);
  memcpy(out + N, a, N * sizeof *out);
  return 0;
}

static int residual(realtype t, N_Vector y, N_Vector yp, N_Vector r, void *data) {
  double *x = NV_DATA_S(y), *xp = NV_DATA_S(yp), *out = NV_DATA_S(r);
  const double *lambda = x + 2 * N, *mu = lambda + C;
  (void)data;
  evaluate(t, x, x + N);
  for (int i = 0; i < N; i++) {
    double moved = 0, held = 0, inertia = 0;
    for (int c = 0; c < C; c++) moved += G[c * N + i] * mu[c], held += G[c * N + i] * lambda[c];
    for (int j = 0; j < N; j++) inertia += M[i * N + j] * xp[N + j];
    out[i] = xp[i] - x[N + i] + moved;
    out[N + i] = inertia - H[i] + held;
  }
  for (int c = 0; c < C; c++) out[2 * N + c] = CLOSED[c], out[2 * N + C + c] = RATE[c];
  return 0;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int failed(const char *what, int flag) {
  if (flag < 0) fprintf(stderr, "%s: %d\n", what, flag);
  return flag < 0;
}

typedef struct {
  long steps, rejected, evaluations, jacobians;
} Counts;

/* From one break to the next; y and yp hold the state. */
static int advance(int ida, double tolerance, double from, double to, N_Vector y, N_Vector yp, double *grid, int points, int *next, double *table, Counts *counts, SUNContext context) {
  sunindextype size = NV_LENGTH_S(y);
  N_Vector id = N_VNew_Serial(size, context), small = N_VNew_Serial(size, context);
  for (int k = 0; k < size; k++) NV_Ith_S(id, k) = k < 2 * N, NV_Ith_S(small, k) = k < 2 * N ? tolerance : 1e10;
  void *memory = ida ? IDACreate(context) : CVodeCreate(CV_BDF, context);
  int flag = ida ? IDAInit(memory, residual, from, y, yp) : CVodeInit(memory, explicit_rates, from, y);
  if (failed("init", flag)) return 1;
  ida ? IDASVtolerances(memory, tolerance, small) : CVodeSVtolerances(memory, tolerance, small);
  SUNMatrix matrix = SUNDenseMatrix(size, size, context);
  SUNLinearSolver linear = SUNLinSol_Dense(y, matrix, context);
  ida ? IDASetLinearSolver(memory, linear, matrix) : CVodeSetLinearSolver(memory, linear, matrix);
  if (ida) {
    IDASetId(memory, id);
    IDASetSuppressAlg(memory, 1);
    IDASetMaxNumSteps(memory, 50000000);
    IDASetStopTime(memory, to);
  } else {
    CVodeSetMaxNumSteps(memory, 50000000);
    CVodeSetStopTime(memory, to);
  }
  double t = from;
  while (t < to) {
    double until = *next < points && grid[*next] <= to ? grid[*next] : to;
    flag = ida ? IDASolve(memory, until, &t, y, yp, IDA_NORMAL) : CVode(memory, until, y, &t, CV_NORMAL);
    if (failed("solve", flag)) return 1;
    if (*next < points && t >= grid[*next]) {
      terms(t, NV_DATA_S(y), NV_DATA_S(y) + N, M, H, G, GAMMA, CLOSED, RATE, table + *next * SHOWN);
      ++*next;
    }
  }
  long steps, errors, unconverged = 0, jacobians;
  ida ? IDAGetNumSteps(memory, &steps) : CVodeGetNumSteps(memory, &steps);
  ida ? IDAGetNumErrTestFails(memory, &errors) : CVodeGetNumErrTestFails(memory, &errors);
  ida ? IDAGetNumNonlinSolvConvFails(memory, &unconverged) : CVodeGetNumNonlinSolvConvFails(memory, &unconverged);
  ida ? IDAGetNumJacEvals(memory, &jacobians) : CVodeGetNumJacEvals(memory, &jacobians);
  counts->steps += steps;
  counts->rejected += errors + unconverged;
  counts->jacobians += jacobians;
  ida ? IDAFree(&memory) : CVodeFree(&memory);
  SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroy(id);
  N_VDestroy(small);
  return 0;
}

int main(int count, char **words) {
  if (count != 5) return fprintf(stderr, "sundials ida|cvode TOLERANCE POINTS REPEAT\n"), 2;
  int ida = !strcmp(words[1], "ida"), points = atoi(words[3]), repeat = atoi(words[4]);
  double tolerance = atof(words[2]), least = INFINITY;
  int pieces = sizeof BREAKS / sizeof *BREAKS;
  double end = BREAKS[pieces - 1], *grid = malloc(points * sizeof *grid), *table = malloc(points * SHOWN * sizeof *table);
  for (int k = 0; k < points; k++) grid[k] = k + 1 < points ? end * (k + 1) / points : end;
  SUNContext context;
  SUNContext_Create(NULL, &context);
  Counts counts;
  for (int run = 0; run < repeat; run++) {
    sunindextype size = ida ? 2 * N + 2 * C : 2 * N;
    N_Vector y = N_VNew_Serial(size, context), yp = N_VNew_Serial(size, context);
    double began = now(), from = 0;
    int next = 0;
    counts = (Counts){0};
    evaluations = 0;
    N_VConst(0, y);
    memcpy(NV_DATA_S(y), START, N * sizeof(double));
    memcpy(NV_DATA_S(y) + N, RATES, N * sizeof(double));
    for (int k = 0; k < pieces; k++) {
      if (ida) {
        double a[ALL], *x = NV_DATA_S(y);
        if (accelerations(from, x, x + N, a)) return 1;
        N_VConst(0, yp);
        memcpy(NV_DATA_S(yp), x + N, N * sizeof(double));
        memcpy(NV_DATA_S(yp) + N, a, N * sizeof(double));
        memcpy(x + 2 * N, a + N, C * sizeof(double));
      }
      if (advance(ida, tolerance, from, BREAKS[k], y, yp, grid, points, &next, table, &counts, context)) return 1;
      from = BREAKS[k];
    }
    double took = now() - began;
    least = took < least ? took : least;
    counts.evaluations = evaluations;
    N_VDestroy(y);
    N_VDestroy(yp);
  }
  for (int k = 0; k < points; k++) {
    printf("%.17g", grid[k]);
    for (int j = 0; j < SHOWN; j++) printf(",%.17g", table[k * SHOWN + j]);
    printf("\n");
  }
  printf("{\"steps\": %ld, \"rejected\": %ld, \"evaluations\": %ld, \"jacobians\": %ld, \"seconds\": %.9g}\n", counts.steps, counts.rejected, counts.evaluations, counts.jacobians, least);
  return 0;
}
