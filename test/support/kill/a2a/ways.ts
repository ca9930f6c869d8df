// Owns how a client follows a task over each binding, and how it goes on after it was cut off: with the id of the last
// event where frames have one, and over gRPC from where its first stream began, past the frames that it has.

import { setTimeout as pause } from 'node:timers/promises';

import type { Json } from '../../a2a/ask.ts';
import { framesOf, textAt } from '../../a2a/ask.ts';
import type { Cell } from '../../a2a/cells.ts';
import { CELLS } from '../../a2a/cells.ts';
import type { GrpcStream } from '../../a2a/grpc-client.ts';
import { GrpcClient } from '../../a2a/grpc-client.ts';
import type { GrpcWords } from '../../a2a/grpc-words.ts';
import { GRPC_WORDS } from '../../a2a/grpc-words.ts';
import type { PushWish } from '../../a2a/pushes.ts';
import type { A2aPlace } from '../node.ts';
import type { Brief, FrameParts } from './brief.ts';
import { briefOf } from './brief.ts';

/** What a client has of a stream. */
export class Seen {
  /** The task; empty until the first frame. */
  id = '';
  /** The ids of frames, where they have some. */
  readonly ids: (number | undefined)[] = [];
  readonly briefs: Brief[] = [];
  /** Where the first frame stands in the log. */
  start = 0;
  /** Of streams that went on after they were cut off. */
  resumes = 0;

  add(parts: FrameParts, id: number | undefined): void {
    const { task, statusUpdate, artifactUpdate } = parts;
    this.id ||= textAt(task, 'id');
    if (task === undefined && statusUpdate === undefined && artifactUpdate === undefined) {
      throw new Error('a frame is none');
    }
    this.ids.push(id);
    this.briefs.push(briefOf(parts));
  }
}

export type Asked = { readonly text: string; readonly push: PushWish | undefined } | 'subscribe';

export interface Way {
  readonly name: string;
  /**
   * Adds every frame of one connection to `seen`, which names the task when it is gone on with. Resolves when the
   * connection is over.
   */
  read(place: A2aPlace, asked: Asked, seen: Seen, onFrame: () => void): Promise<Outcome>;
}

/** `away`: nobody was there, and nothing was asked. */
type Outcome = 'over' | 'refused' | 'away';

function wayOf(cell: Cell): Way {
  const ask = (place: A2aPlace, asked: Asked, seen: Seen): Promise<Response> => {
    if (asked !== 'subscribe') {
      const { text, push } = asked;
      return cell.fetch(place, 'stream', { text, ...(push !== undefined && { push }) });
    }
    const last = seen.ids.at(-1);
    const headers = last === undefined ? {} : { 'last-event-id': String(last) };
    return cell.fetch(place, 'subscribe', { id: seen.id, headers });
  };
  return {
    name: cell.name,
    read: async (place, asked, seen, onFrame) => {
      let response: Response;
      try {
        response = await ask(place, asked, seen);
      } catch (thrown) {
        return isAway(thrown) ? 'away' : 'over';
      }
      if (!isStream(response)) {
        await response.body?.cancel().catch(() => undefined);
        return 'refused';
      }
      const frames = framesOf(response);
      for (;;) {
        // Only this may fail: the connection was cut.
        const next = await frames.next().catch(() => undefined);
        if (next === undefined || next.done === true) return 'over';
        const parts = partsIn(cell, next.value);
        if (parts === undefined) return 'refused';
        if (seen.briefs.length === 0) seen.start = Number(next.value.id);
        seen.add(parts, Number(next.value.id));
        onFrame();
      }
    },
  };
}

function isAway(thrown: unknown): boolean {
  const { cause } = thrown as { readonly cause?: { readonly code?: string } };
  return cause?.code === 'ECONNREFUSED';
}

function isStream({ status, headers }: Response): boolean {
  return status === 200 && headers.get('content-type') === 'text/event-stream';
}

/** `undefined` for a refusal that is told in a stream. */
function partsIn(cell: Cell, frame: Parameters<Cell['inFrame']>[0]): FrameParts | undefined {
  const parts = {
    task: cell.inFrame(frame, 'task'),
    statusUpdate: cell.inFrame(frame, 'statusUpdate'),
    artifactUpdate: cell.inFrame(frame, 'artifactUpdate'),
  };
  return Object.values(parts).every((part) => part === undefined) ? undefined : parts;
}

function grpcWayOf(words: GrpcWords): Way {
  const open = (client: GrpcClient, asked: Asked, seen: Seen): GrpcStream => {
    if (asked !== 'subscribe') {
      const { text, push } = asked;
      const request = words.send({ text, ...(push !== undefined && { push }) });
      return client.stream('SendStreamingMessage', request);
    }
    const metadata = seen.briefs.length === 0 ? {} : { 'last-event-id': String(seen.start) };
    return client.stream(words.subscribe, words.task(seen.id), { metadata });
  };
  return {
    name: `${words.version} over gRPC`,
    read: async ({ grpc }, asked, seen, onFrame) => {
      const client = new GrpcClient(grpc, words.version);
      const stream = open(client, asked, seen);
      // The first frame stands where the first stream begins, and is not told again.
      let known = Math.max(0, seen.briefs.length - 1);
      let place: number | undefined;
      void stream.initial.then((initial) => (place = Number(initial.get('event-id')[0])));
      for await (const frame of stream) {
        const parts = frame as unknown as Record<keyof FrameParts, Json | undefined>;
        if (known > 0) {
          const had = seen.briefs.at(-known)!;
          known -= 1;
          if (had !== briefOf(parts))
            throw new Error(`told differently: ${had}, ${briefOf(parts)}`);
          continue;
        }
        if (seen.briefs.length === 0) seen.start = place!;
        seen.add(parts, undefined);
        onFrame();
      }
      const { status } = await stream.end;
      client.close();
      return /^(OK|UNAVAILABLE|CANCELLED)$/.test(status) ? 'over' : 'refused';
    },
  };
}

export const WAYS: readonly Way[] = [...CELLS.map(wayOf), ...GRPC_WORDS.map(grpcWayOf)];

/** Who is cut off tries again a little later. */
export function aLittleLater(): Promise<void> {
  return pause(20);
}
