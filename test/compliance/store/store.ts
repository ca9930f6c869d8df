// The rules of every store as one suite: a new store is right when it passes.

import { describe } from 'vitest';

import { countRules } from './counts.ts';
import { entryRules } from './entries.ts';
import { inventoryRules } from './inventory.ts';
import { lifeRules } from './life.ts';
import { listRules } from './lists.ts';
import { logRules } from './logs.ts';
import { noRankRules, rankRules } from './ranks.ts';
import { sharedEntryRules, sharedLogRules } from './shared.ts';
import type { EntryStoreUnderTest, StoreUnderTest } from './setup.ts';
import { tallyRules } from './tallies.ts';
import { transactionRules } from './transactions.ts';

export function storeCompliance(title: string, subject: StoreUnderTest): void {
  entryCompliance(title, subject);
  describe(title, () => {
    describe('lists', () => listRules(subject));
    describe('ranks', () => rankRules(subject));
    describe('tallies', () => tallyRules(subject));
    describe('logs', () => logRules(subject));
    describe('the inventory', () => inventoryRules(subject));
    describe('transactions', () => transactionRules(subject));
    if (subject.isShared) describe('two connections', () => sharedLogRules(subject));
  });
}

/** For a store that carries entries alone. */
export function entryStoreCompliance(title: string, subject: EntryStoreUnderTest): void {
  entryCompliance(title, subject);
  describe(title, () => {
    describe('ranks', () => noRankRules(subject));
  });
}

function entryCompliance(title: string, subject: EntryStoreUnderTest): void {
  describe(title, () => {
    describe('entries', () => entryRules(subject));
    describe('counts', () => countRules(subject));
    describe('its life', () => lifeRules(subject));
    if (subject.isShared) describe('two connections', () => sharedEntryRules(subject));
  });
}
