// Owns the form in which an envelope travels: as the one part of a message or a further part of an artifact, or beside
// what it covers. SPEC.md section 22 (#sealed-message, #sealed-detached, #sealed-artifacts).

import type { JsonObject, JsonValue } from '../../../src/codec/index.ts';
import { SEALED_EXTENSION } from './extension.ts';
import type { SealedMode } from './extension.ts';
import { ENVELOPE_MEMBER } from './locate.ts';
import type { Bag, Family, NeutralPart, Places, Role } from './shapes/neutral.ts';
import { bagOf, textsOf } from './shapes/neutral.ts';
import { writeArtifact, writeMessage } from './shapes/write.ts';

/** One that was sealed. */
export interface Sealed {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** Without a payload that is null: protobuf in some hands cannot say it. */
function envelopeOf({ bytes }: Sealed): JsonObject {
  const envelope = JSON.parse(new TextDecoder().decode(bytes)) as JsonObject;
  const { payload, ...others } = envelope;
  return payload === null ? others : envelope;
}

export function sealedMessage(
  sealed: Sealed,
  { role, places, mode, family }: { role: Role; places: Places; mode: SealedMode; family: Family },
): Bag {
  const message = { messageId: sealed.id, role, parts: [partOf(sealed)], ...marks(mode) };
  return writeMessage(message, places, family);
}

/** What it is called and what it is for stays inside. */
export function sealedArtifact(
  sealed: Sealed,
  artifactId: string,
  mode: SealedMode,
  family: Family,
): Bag {
  return writeArtifact({ artifactId, parts: [partOf(sealed)], ...marks(mode) }, family);
}

/** The original, with the envelope beside it. */
export function detached(given: Bag, sealed: Sealed): Bag {
  const extensions = [...(textsOf(given['extensions']) ?? []), SEALED_EXTENSION];
  const mark = { v: 1, profile: 'detached', envelope: envelopeOf(sealed) };
  return {
    ...given,
    extensions: [...new Set(extensions)],
    metadata: { ...bagOf(given['metadata']), [SEALED_EXTENSION]: mark },
  };
}

function partOf(sealed: Sealed): NeutralPart {
  return { data: { [ENVELOPE_MEMBER]: envelopeOf(sealed) }, mediaType: 'application/json' };
}

/** Hints for people and for servers that look for the extension; nobody believes them. */
function marks(mode: SealedMode): {
  readonly extensions: readonly string[];
  readonly metadata: JsonObject;
} {
  const mark: JsonValue = { v: 1, profile: 'sealed', mode };
  return { extensions: [SEALED_EXTENSION], metadata: { [SEALED_EXTENSION]: mark } };
}
