// Owns the keywords that describe a value but demand nothing of it: only their own types are checked.
// SPEC.md section 5.2 (#schema-dialect).

import type { KeywordSite } from './keyword-site.ts';
import type { KeywordReader } from './keywords.ts';
import { memberNames } from './member-names.ts';

/** `default` is not here: it may be anything. */
export const ANNOTATIONS: ReadonlyMap<string, KeywordReader> = new Map<string, KeywordReader>([
  ['$comment', (site) => site.text()],
  ['$vocabulary', readVocabulary],
  ['title', (site) => site.text()],
  ['description', (site) => site.text()],
  ['examples', (site) => site.list()],
  ['deprecated', (site) => site.flag()],
  ['readOnly', (site) => site.flag()],
  ['writeOnly', (site) => site.flag()],
  ['format', (site) => site.text()],
  ['contentEncoding', (site) => site.text()],
  ['contentMediaType', (site) => site.text()],
  ['contentSchema', (site) => site.schema()],
]);

function readVocabulary(site: KeywordSite): void {
  const vocabularies = site.object();
  for (const uri of memberNames(vocabularies, site.reader.work)) {
    if (typeof vocabularies[uri] !== 'boolean') site.refuse('expected an object of booleans');
  }
}
