// Owns how an answer to a request of ours is judged: by the same checks as everything else, with that request beside it.
// SPEC.md sections 8 and 13 (#x-req, #checks).

import type { Receipt } from '../audit/receipt.ts';
import { checkReceipt } from '../audit/receipt-check.ts';
import { encodeBase64url } from '../codec/base64url.ts';
import type { JsonObject, JsonValue } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import type { CheckServices, OpenRequest, PassageMessage, Snapshot } from '../pipeline/passage.ts';
import { Passage } from '../pipeline/passage.ts';
import { runStages } from '../pipeline/run-stages.ts';
import { signingKeysOf, usableKeys } from '../security/peers/keys.ts';

/** One answer, every check passed: signed by the agent that was asked, and bound to the request by its hash. */
export interface OpenedAnswer {
  readonly id: string;
  readonly type: 'evt' | 'res';
  readonly ct: string;
  readonly payload: JsonValue;
  readonly agentId: string;
  readonly mode: 'sig' | 'enc+sig';
  /** `sec.x.n`. */
  readonly n: number;
  readonly envelope: JsonObject;
  /** The receipt of the agent's log, where one came along and holds. */
  readonly receipt?: Receipt;
}

/** Throws the error of the check that it fails; the reason is for the local log. */
export async function judgeAnswer(
  message: PassageMessage,
  open: OpenRequest,
  services: CheckServices & { readonly snapshot: () => Snapshot },
): Promise<Passage> {
  const passage = new Passage(message, services, services.snapshot(), open);
  const refusal = await runStages(passage);
  if (refusal === undefined) return passage;
  const { code, reason } = refusal.error;
  throw new SdlError(code, `the answer fails the check "${refusal.stage}": ${reason}`, {
    cause: refusal.error,
  });
}

/** Of an answer that another dialect has carried: it is numbered, and always bound. */
export async function openedAnswer(
  passage: Passage,
  contentTypes: ReadonlySet<string>,
): Promise<OpenedAnswer> {
  const { envelope, payload, isProven, isBoundByHash } = passage;
  // An error of the SDL wire need not be bound; what is carried always is.
  if (!isProven || !isBoundByHash || !contentTypes.has(envelope.ct)) {
    throw new SdlError('BINDING_INVALID', 'it is no answer that another dialect carries');
  }
  const n = envelope.sec?.x?.['n'];
  if (!Number.isSafeInteger(n) || (n as number) < 0) {
    throw new SdlError('ENVELOPE_INVALID', '/sec/x/n is missing or no number', {
      details: { path: '/sec/x/n' },
    });
  }
  const receipt = await receiptIn(passage);
  return {
    id: envelope.id,
    type: envelope.type === 'evt' ? 'evt' : 'res',
    ct: envelope.ct,
    payload,
    agentId: envelope.from.agent_id,
    mode: envelope.sec!.mode as 'sig' | 'enc+sig',
    n: n as number,
    envelope: envelope as unknown as JsonObject,
    ...(receipt && { receipt }),
  };
}

/** The answer counts by its own signature: a receipt that does not hold takes nothing from it. */
async function receiptIn(passage: Passage): Promise<Receipt | undefined> {
  const { envelope: reply, sender, contact, snapshot, answers, services } = passage;
  if (reply.type !== 'res' || reply.trace?.audit === undefined) return undefined;
  try {
    const { receipt } = await checkReceipt(
      {
        id: answers!.id,
        ct: reply.ct,
        req: encodeBase64url(answers!.inputHash!),
        reply,
        keys: usableKeys(signingKeysOf(sender.peer), snapshot.nowMs),
        bundle: sender.newBundle ?? contact?.bundle,
      },
      services.crypto,
    );
    return receipt;
  } catch (thrown) {
    if (thrown instanceof SdlError) return undefined;
    throw thrown;
  }
}
