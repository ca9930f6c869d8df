// The rules of every store as one suite: a new store is right when it passes.

import { describe } from 'vitest';

import { entryRules } from './store-entries.ts';
import { lifeRules } from './store-life.ts';
import { listRules } from './store-lists.ts';
import { logRules } from './store-logs.ts';
import { sharedRules } from './store-shared.ts';
import type { StoreUnderTest } from './store-setup.ts';
import { transactionRules } from './store-transactions.ts';

export function storeCompliance(title: string, subject: StoreUnderTest): void {
  describe(title, () => {
    describe('entries', () => entryRules(subject));
    describe('lists', () => listRules(subject));
    describe('logs', () => logRules(subject));
    describe('transactions', () => transactionRules(subject));
    describe('its life', () => lifeRules(subject));
    if (subject.isShared) describe('two connections', () => sharedRules(subject));
  });
}
