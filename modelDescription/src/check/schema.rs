//! The official schemas as tables of text.
//!
//! A line is `element | attributes | children`. An attribute is `name:type`, with `!` if it is required. A child is
//! followed by `?` (at most one), `*` (any number), `+` (one or more) or nothing (exactly one). Children must be in
//! this order; those joined by `/` may be in any order and number. If a name occurs in several places, the line's
//! name is `parent>element`. Elements marked `...` may contain anything.

/// FMI 2.0.
pub(super) const FMI2: &str = "
fmiModelDescription | fmiVersion:text! modelName:text! guid:text! description:text author:text version:text copyright:text license:text generationTool:text generationDateAndTime:date variableNamingConvention:convention numberOfEventIndicators:unsigned | ModelExchange? CoSimulation? UnitDefinitions? TypeDefinitions? LogCategories? DefaultExperiment? VendorAnnotations? ModelVariables ModelStructure
ModelExchange | modelIdentifier:text! needsExecutionTool:flag completedIntegratorStepNotNeeded:flag canBeInstantiatedOnlyOncePerProcess:flag canNotUseMemoryManagementFunctions:flag canGetAndSetFMUstate:flag canSerializeFMUstate:flag providesDirectionalDerivative:flag | SourceFiles?
CoSimulation | modelIdentifier:text! needsExecutionTool:flag canHandleVariableCommunicationStepSize:flag canInterpolateInputs:flag maxOutputDerivativeOrder:unsigned canRunAsynchronuously:flag canBeInstantiatedOnlyOncePerProcess:flag canNotUseMemoryManagementFunctions:flag canGetAndSetFMUstate:flag canSerializeFMUstate:flag providesDirectionalDerivative:flag | SourceFiles?
SourceFiles | | File+
File | name:text! |
UnitDefinitions | | Unit+
Unit | name:text! | BaseUnit? DisplayUnit*
BaseUnit | kg:integer m:integer s:integer A:integer K:integer mol:integer cd:integer rad:integer factor:number offset:number |
DisplayUnit | name:text! factor:number offset:number |
TypeDefinitions | | SimpleType+
SimpleType | name:text! description:text | Real/Integer/Boolean/String/Enumeration
SimpleType>Real | quantity:text unit:text displayUnit:text relativeQuantity:flag min:number max:number nominal:number unbounded:flag |
SimpleType>Integer | quantity:text min:integer max:integer |
SimpleType>Boolean | |
SimpleType>String | |
SimpleType>Enumeration | quantity:text | Item+
Item | name:text! value:integer! description:text |
LogCategories | | Category+
Category | name:text! description:text |
DefaultExperiment | startTime:number stopTime:number tolerance:number stepSize:number |
VendorAnnotations | | ...
ModelVariables | | ScalarVariable+
ScalarVariable | name:text! valueReference:unsigned! description:text causality:causality variability:variability initial:initial canHandleMultipleSetPerTimeInstant:flag | Real/Integer/Boolean/String/Enumeration Annotations?
ScalarVariable>Real | declaredType:text quantity:text unit:text displayUnit:text relativeQuantity:flag min:number max:number nominal:number unbounded:flag start:number derivative:unsigned reinit:flag |
ScalarVariable>Integer | declaredType:text quantity:text min:integer max:integer start:integer |
ScalarVariable>Boolean | declaredType:text start:flag |
ScalarVariable>String | declaredType:text start:text |
ScalarVariable>Enumeration | declaredType:text! quantity:text min:integer max:integer start:integer |
Annotations | | ...
ModelStructure | | Outputs? Derivatives? InitialUnknowns?
Outputs | | Unknown+
Derivatives | | Unknown+
InitialUnknowns | | Unknown+
Unknown | index:unsigned! dependencies:unsigneds dependenciesKind:kinds |
";

/// FMI 3.0.
pub(super) const FMI3: &str = "
fmiModelDescription | fmiVersion:text! modelName:text! instantiationToken:text! description:text author:text version:text copyright:text license:text generationTool:text generationDateAndTime:date variableNamingConvention:convention | ModelExchange? CoSimulation? ScheduledExecution? UnitDefinitions? TypeDefinitions? LogCategories? DefaultExperiment? ModelVariables ModelStructure Annotations?
ModelExchange | modelIdentifier:text! needsExecutionTool:flag canBeInstantiatedOnlyOncePerProcess:flag canGetAndSetFMUState:flag canSerializeFMUState:flag providesDirectionalDerivatives:flag providesAdjointDerivatives:flag providesPerElementDependencies:flag needsCompletedIntegratorStep:flag providesEvaluateDiscreteStates:flag | Annotations?
CoSimulation | modelIdentifier:text! needsExecutionTool:flag canBeInstantiatedOnlyOncePerProcess:flag canGetAndSetFMUState:flag canSerializeFMUState:flag providesDirectionalDerivatives:flag providesAdjointDerivatives:flag providesPerElementDependencies:flag canHandleVariableCommunicationStepSize:flag fixedInternalStepSize:number maxOutputDerivativeOrder:unsigned recommendedIntermediateInputSmoothness:integer providesIntermediateUpdate:flag mightReturnEarlyFromDoStep:flag canReturnEarlyAfterIntermediateUpdate:flag hasEventMode:flag providesEvaluateDiscreteStates:flag | Annotations?
ScheduledExecution | modelIdentifier:text! needsExecutionTool:flag canBeInstantiatedOnlyOncePerProcess:flag canGetAndSetFMUState:flag canSerializeFMUState:flag providesDirectionalDerivatives:flag providesAdjointDerivatives:flag providesPerElementDependencies:flag | Annotations?
UnitDefinitions | | Unit+
Unit | name:text! | BaseUnit? DisplayUnit* Annotations?
BaseUnit | kg:integer m:integer s:integer A:integer K:integer mol:integer cd:integer rad:integer factor:number offset:number |
DisplayUnit | name:text! factor:number offset:number inverse:flag | Annotations?
TypeDefinitions | | Float32Type/Float64Type/Int8Type/UInt8Type/Int16Type/UInt16Type/Int32Type/UInt32Type/Int64Type/UInt64Type/BooleanType/StringType/BinaryType/EnumerationType/ClockType
Float32Type Float64Type | name:text! description:text quantity:text unit:text displayUnit:text relativeQuantity:flag unbounded:flag min:number max:number nominal:number | Annotations?
Int8Type UInt8Type Int16Type UInt16Type Int32Type UInt32Type Int64Type UInt64Type | name:text! description:text quantity:text min:integer max:integer | Annotations?
BooleanType StringType | name:text! description:text | Annotations?
BinaryType | name:text! description:text mimeType:text maxSize:unsigned | Annotations?
EnumerationType | name:text! description:text quantity:text min:integer max:integer | Annotations? Item+
ClockType | name:text! description:text canBeDeactivated:flag priority:unsigned intervalVariability:interval! intervalDecimal:number shiftDecimal:number supportsFraction:flag resolution:unsigned intervalCounter:unsigned shiftCounter:unsigned | Annotations?
Item | name:text! value:integer! description:text | Annotations?
LogCategories | | Category+
Category | name:text! description:text | Annotations?
DefaultExperiment | startTime:number stopTime:number tolerance:number stepSize:number | Annotations?
ModelVariables | | Float32/Float64/Int8/UInt8/Int16/UInt16/Int32/UInt32/Int64/UInt64/Boolean/String/Binary/Enumeration/Clock
Float32 Float64 | name:text! valueReference:unsigned! description:text causality:causality variability:variability canHandleMultipleSetPerTimeInstant:flag clocks:unsigneds intermediateUpdate:flag previous:unsigned declaredType:text initial:initial quantity:text unit:text displayUnit:text relativeQuantity:flag unbounded:flag min:number max:number nominal:number start:numbers derivative:unsigned reinit:flag | Annotations? Dimension* Alias*
Int8 UInt8 Int16 UInt16 Int32 UInt32 Int64 UInt64 | name:text! valueReference:unsigned! description:text causality:causality variability:variability canHandleMultipleSetPerTimeInstant:flag clocks:unsigneds intermediateUpdate:flag previous:unsigned declaredType:text initial:initial quantity:text min:integer max:integer start:integers | Annotations? Dimension* Alias*
Boolean | name:text! valueReference:unsigned! description:text causality:causality variability:variability canHandleMultipleSetPerTimeInstant:flag clocks:unsigneds intermediateUpdate:flag previous:unsigned declaredType:text initial:initial start:flags | Annotations? Dimension* Alias*
String | name:text! valueReference:unsigned! description:text causality:causality variability:variability canHandleMultipleSetPerTimeInstant:flag clocks:unsigneds intermediateUpdate:flag previous:unsigned declaredType:text initial:initial | Annotations? Dimension* Start* Alias*
Binary | name:text! valueReference:unsigned! description:text causality:causality variability:variability canHandleMultipleSetPerTimeInstant:flag clocks:unsigneds intermediateUpdate:flag previous:unsigned declaredType:text initial:initial mimeType:text maxSize:unsigned | Annotations? Dimension* Start* Alias*
Enumeration | name:text! valueReference:unsigned! description:text causality:causality variability:variability canHandleMultipleSetPerTimeInstant:flag clocks:unsigneds intermediateUpdate:flag previous:unsigned declaredType:text! initial:initial quantity:text min:integer max:integer start:integers | Annotations? Dimension* Alias*
Clock | name:text! valueReference:unsigned! description:text causality:causality variability:variability canHandleMultipleSetPerTimeInstant:flag clocks:unsigneds declaredType:text canBeDeactivated:flag priority:unsigned intervalVariability:interval! intervalDecimal:number shiftDecimal:number supportsFraction:flag resolution:unsigned intervalCounter:unsigned shiftCounter:unsigned | Annotations? Alias*
Dimension | start:unsigned valueReference:unsigned |
Start | value:text |
Alias | name:text! description:text displayUnit:text |
Annotations | | ...
ModelStructure | | Output* ContinuousStateDerivative* ClockedState* InitialUnknown* EventIndicator*
Output ContinuousStateDerivative ClockedState InitialUnknown EventIndicator | valueReference:unsigned! dependencies:unsigneds dependenciesKind:kinds | Annotations?
";

/// `terminalsAndIcons.xml` of FMI 3.0, which FMI 2.0.4 and later use unchanged.
pub(super) const TERMINALS: &str = "
fmiTerminalsAndIcons | fmiVersion:text! | GraphicalRepresentation? Terminals? Annotations?
GraphicalRepresentation | | CoordinateSystem? Icon? Annotations?
CoordinateSystem | x1:number! y1:number! x2:number! y2:number! suggestedScalingFactorTo_mm:number! |
Icon | x1:number! y1:number! x2:number! y2:number! |
Terminals | | Terminal+
Terminal | name:text! matchingRule:text! terminalKind:text description:text | TerminalMemberVariable* TerminalStreamMemberVariable* Terminal* TerminalGraphicalRepresentation? Annotations?
TerminalMemberVariable | variableName:text! memberName:text variableKind:text! | Annotations?
TerminalStreamMemberVariable | inStreamMemberName:text! outStreamMemberName:text! inStreamVariableName:text! outStreamVariableName:text! | Annotations?
TerminalGraphicalRepresentation | defaultConnectionColor:unsigneds defaultConnectionStrokeSize:number x1:number! y1:number! x2:number! y2:number! iconBaseName:text! | Annotations?
Annotations | | ...
";
