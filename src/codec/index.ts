// The surface of `a2a-sdl/codec`: bytes to values and back, in every form.

export { writeJcs } from './canonical-jcs.ts';
export { writePythonJson } from './canonical-python.ts';
export { readCbor } from './cbor/read.ts';
export { writeCbor } from './cbor/write.ts';
export { equalNumbers } from './decimal.ts';
export type { Form, FormDifference } from './explain.ts';
export { explainForms } from './explain.ts';
export { FrameReader, writeFrame } from './frame.ts';
export { readJson } from './json/read.ts';
export { writeJson } from './json/write.ts';
export { compareCodePoints } from './name-order.ts';
export type { JsonArray, JsonObject, JsonValue } from './value.ts';
export { LosslessNumber, isJsonArray, isJsonObject, numberFromBigInt } from './value.ts';
