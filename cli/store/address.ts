// Owns the addresses of stores: which there are, how one is read, and what of one may be shown. Addresses hold
// passwords, so that nothing here ever repeats one.

import { resolve } from 'node:path';

import { usageError } from '../kit/exit.ts';
import type { Home } from '../home/home.ts';
import { readFileBytes } from '../kit/input.ts';

export const STORE_KINDS = 'sqlite:PATH, postgres://… or memory:';
const REPLAY_KINDS = 'redis://…, rediss://… or unix:///PATH';

const POSTGRES = /^postgres(ql)?:\/\//;
const REDIS = /^(rediss?|unix):\/\//;

/** Several nodes can work on it at once. */
export function isShared(store: string): boolean {
  return POSTGRES.test(store);
}

/** `undefined` is the SQLite database of the home; `@FILE` stands for the text of a file. */
export async function readStoreAddress(value: string | undefined, home: Home): Promise<string> {
  if (value === undefined) return `sqlite:${home.store}`;
  const address = await readAddress(value);
  if (address === 'memory:' || isShared(address)) return address;
  const path = pathOf(address);
  if (path !== undefined && path !== '') return `sqlite:${resolve(path)}`;
  throw usageError(`--store expects ${STORE_KINDS}`, 'or @FILE, a file that holds such an address');
}

export async function readReplayAddress(value: string): Promise<string> {
  const address = await readAddress(value);
  if (REDIS.test(address)) return address;
  throw usageError(`--replay expects ${REPLAY_KINDS}`, 'or @FILE, a file that holds it');
}

/** The file of a SQLite store. */
export function pathOf(store: string): string | undefined {
  return store.startsWith('sqlite:') ? store.slice('sqlite:'.length) : undefined;
}

/** The address without user, password and settings; where it is not sure what is what, without its host as well. */
export function shownAddress(address: string): string {
  if (!address.includes('://')) return address;
  const shown = /^([a-z]+:\/\/)(?:[^@/?#]*@)?([^@/?#]*(?:\/[^@?#]*)?)(?:\?[^@]*)?$/.exec(address);
  return shown === null ? `${address.slice(0, address.indexOf('://'))}://…` : shown[1]! + shown[2]!;
}

/** Before the host, or among the settings. */
export function hasPassword(address: string): boolean {
  return /^[a-z]+:\/\/[^/?#]*:[^@]+@/.test(address) || /[?&](?:ssl)?password=./.test(address);
}

/** Takes one of our own settings out of the query, since no driver knows it. Not every address is a URL to Node. */
export function takeSetting(
  address: string,
  name: string,
): { readonly address: string; readonly value: string | undefined } {
  const [base, query] = splitOnce(address, '?');
  const settings = query === undefined ? [] : query.split('&');
  const own = settings.filter((setting) => setting.startsWith(`${name}=`));
  const others = settings.filter((setting) => !own.includes(setting));
  return {
    address: others.length === 0 ? base : `${base}?${others.join('&')}`,
    value: own.at(-1)?.slice(name.length + 1),
  };
}

async function readAddress(value: string): Promise<string> {
  if (!value.startsWith('@')) return value;
  return new TextDecoder().decode(await readFileBytes(value.slice(1))).trim();
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)];
}
