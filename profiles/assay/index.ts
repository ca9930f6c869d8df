// The surface of `a2a-sdl/profiles/assay`: evidence of what was seen, in the form of Assay. It says what was visible, and
// nothing of whether it was right. SPEC.md section 17 (#assay).

export type { Batch, ConvertOptions, Converted, Lossiness, LossinessLevel } from './convert.ts';
export { convert, refusalText } from './convert.ts';
export type { ConvertErrorKind } from './error.ts';
export { ConvertError } from './error.ts';
export type { ConvertMode } from './content.ts';
export type { RawReference } from './raw-reference.ts';
export type { RunLimits, RunReport, RunRule } from './run-check.ts';
export { checkRun } from './run-check.ts';
export type { EvidenceOptions, EvidenceSink } from './sink.ts';
export { evidence } from './sink.ts';
