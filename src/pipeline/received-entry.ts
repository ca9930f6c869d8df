// Owns what the audit log says of a message that came in. SPEC.md section 10 (#audit).

import type { ReceivedEntry } from '../audit/entry.ts';
import { encodeBase64url } from '../codec/base64url.ts';
import { modeOf } from '../security/message/mode.ts';
import type { Passage } from './passage.ts';

export function receivedEntry({ envelope, inputHash, peer }: Passage): ReceivedEntry {
  return {
    kind: envelope.type === 'req' ? 'request' : 'event',
    id: envelope.id,
    from: envelope.from.agent_id,
    ct: envelope.ct,
    mode: modeOf(envelope),
    req: encodeBase64url(inputHash!),
    ...(envelope.sec?.kid !== undefined && { kid: envelope.sec.kid }),
    transport: peer.transport,
  };
}
