// Owns what was asked of an agent, sealed: only by it can an answer be told from another one. SPEC.md section 20.1
// (#a2a-client-sealed-kept).

import { createHash } from 'node:crypto';

import type { JsonObject } from '../../../../src/door/index.ts';
import { isJsonObject } from '../../../../src/transport.ts';
import type { Places } from './places.ts';

/** A message that was sealed. */
export interface KeptRequest {
  /** As who asked knows it; the path sees another one. */
  readonly messageId: string;
  /** In the form of 1.0, as it is sent. */
  readonly sealed: JsonObject;
}

export interface BoundRequest extends KeptRequest {
  /** Its answer was that of this task. Else it may never have arrived. */
  readonly isCertain: boolean;
}

/** What was asked, by the id that who asked gave it. */
const MESSAGES = 'sealed-asked';
/** The ids of what was asked, by the task, and by the id that the path sees. */
const TASKS = 'sealed-asked-tasks';
const IDS = 'sealed-asked-ids';
/** As receipts. */
const KEPT_MS = 90 * 86_400_000;

export class KeptRequests {
  readonly #places: Places;
  readonly #agentId: string;
  readonly #now: () => number;

  constructor(places: Places, agentId: string, now: () => number) {
    this.#places = places;
    this.#agentId = agentId;
    this.#now = now;
  }

  /** The same message again is sealed once: sent twice, it is a repeat. */
  async find(messageId: string): Promise<KeptRequest | undefined> {
    const sealed = (await this.#places.read(MESSAGES, this.#keyOf(messageId)))?.['sealed'];
    return sealed !== undefined && isJsonObject(sealed) ? { messageId, sealed } : undefined;
  }

  /** Before it is sent. */
  async keep({ messageId, sealed }: KeptRequest): Promise<void> {
    const until = this.#until;
    await this.#places.change(IDS, this.#keyOf(outerIdOf(sealed)), () => ({ messageId }), until);
    await this.#places.change(MESSAGES, this.#keyOf(messageId), () => ({ sealed }), until);
  }

  /** This message began the task, or goes on with it. @param isCertain it was answered. */
  async bind(taskId: string, messageId: string, isCertain: boolean): Promise<void> {
    await this.#places.change(
      TASKS,
      this.#keyOf(taskId),
      (before) => {
        const asked = askedIn(before);
        const known = asked.find((one) => one.messageId === messageId);
        const bound = { messageId, isCertain: isCertain || known?.isCertain === true };
        const all =
          known === undefined
            ? [...asked, bound]
            : asked.map((one) => (one === known ? bound : one));
        return { asked: all };
      },
      this.#until,
    );
  }

  /** In the order in which they were said. */
  async ofTask(taskId: string): Promise<readonly BoundRequest[]> {
    const asked = askedIn(await this.#places.read(TASKS, this.#keyOf(taskId)));
    const found = await Promise.all(asked.map((one) => this.#bound(one)));
    return found.filter((one) => one !== undefined);
  }

  async #bound({ messageId, isCertain }: AskedOf): Promise<BoundRequest | undefined> {
    const request = await this.find(messageId);
    return request && { messageId, sealed: request.sealed, isCertain };
  }

  /** What who asked calls a message of which the path shows the id. */
  async named(outerId: string): Promise<string | undefined> {
    const messageId = (await this.#places.read(IDS, this.#keyOf(outerId)))?.['messageId'];
    return typeof messageId === 'string' ? messageId : undefined;
  }

  get #until(): number {
    return this.#now() + KEPT_MS;
  }

  /** Ids of others may be of any length. */
  #keyOf(id: string): string {
    return createHash('sha256')
      .update(JSON.stringify([this.#agentId, id]))
      .digest('base64url');
  }
}

export function outerIdOf({ messageId }: JsonObject): string {
  return typeof messageId === 'string' ? messageId : '';
}

interface AskedOf {
  readonly [name: string]: string | boolean;
  readonly messageId: string;
  readonly isCertain: boolean;
}

function askedIn(found: JsonObject | undefined): readonly AskedOf[] {
  const asked = found?.['asked'];
  return Array.isArray(asked) ? (asked as readonly AskedOf[]) : [];
}
