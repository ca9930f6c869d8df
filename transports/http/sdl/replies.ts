// Owns how the replies to a message go out over HTTP: the `res` alone, or all of them as events or lines.
// SPEC.md section 11 (#transport-http).

import type { Reply } from '../../../src/transport.ts';
import type { HttpCall, HttpEvents, HttpStream } from '../face.ts';
import { toLine, toStreamText } from '../stream-text.ts';
import type { AnswerForm } from './request.ts';
import { MEDIA_TYPE } from './request.ts';

/** The replies are pulled one at a time, each when the client has taken the one before it. */
export async function sendReplies(
  call: HttpCall,
  replies: AsyncIterable<Reply>,
  form: AnswerForm,
): Promise<void> {
  const stream = form === 'single' ? undefined : streamOf(call, form);
  for await (const reply of replies) {
    if (call.signal.aborted) return;
    if (stream === undefined && reply.type === 'evt') continue;
    // A refusal is shown by the HTTP status, and the status cannot change once a stream has begun.
    if (stream === undefined || (!stream.hasBegun && reply.status !== 200)) {
      await call.answer(reply.status, { 'content-type': MEDIA_TYPE[reply.encoding] }, reply.bytes);
      return;
    }
    await put(stream, reply);
  }
  if (stream?.hasBegun === true) await stream.end();
  else await call.answer(204);
}

function streamOf(call: HttpCall, form: 'events' | 'lines'): HttpEvents | HttpStream {
  return form === 'events'
    ? call.events()
    : call.stream(200, { 'content-type': 'application/x-ndjson' });
}

function put(stream: HttpEvents | HttpStream, reply: Reply): Promise<void> {
  const data = toStreamText(reply);
  if ('write' in stream) return stream.write(toLine(data));
  const { generation } = reply;
  return stream.send(generation === undefined ? { data } : { data, id: generation });
}
