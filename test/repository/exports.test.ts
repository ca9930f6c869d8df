// The public surface: what it is, and that importing it loads nothing heavy.

import { describe, expect, test } from 'vitest';

import * as publicSurface from '../../src/index.ts';
import { closureOf, packageOf } from '../support/repository/module-graph.ts';

describe('the root import', () => {
  test('exports these names and no others', () => {
    expect(Object.keys(publicSurface).sort()).toMatchInlineSnapshot(`
      [
        "DEFAULT_LIMITS",
        "EMPTY_STATE_HASH",
        "ERRORS",
        "FrameReader",
        "INITIAL_STATE",
        "LosslessNumber",
        "PACKAGE_VERSION",
        "RemoteError",
        "SchemaRegistry",
        "SdlError",
        "TaskError",
        "ToolCallError",
        "ToolError",
        "ToolRegistry",
        "TransportError",
        "answer",
        "applyPatch",
        "applyState",
        "artifactRef",
        "bytesItem",
        "checkDescriptor",
        "checkShape",
        "checkTasks",
        "chunkItems",
        "climbStages",
        "compileTrusted",
        "contentHash",
        "createEnvelopeBuilder",
        "createPassage",
        "createRuntime",
        "createSchemaResolver",
        "createTaskCopyCheck",
        "createTaskEngine",
        "createTaskTools",
        "decodeMessage",
        "defaultCapabilities",
        "defineContent",
        "defineTool",
        "embed",
        "encodeMessage",
        "envelopeValue",
        "explainForms",
        "formatTimestamp",
        "forwardTrace",
        "isContentHash",
        "isJsonArray",
        "isJsonObject",
        "makePatch",
        "makeState",
        "numberFromBigInt",
        "parseTimestamp",
        "peekAnswer",
        "readCbor",
        "readJson",
        "replyTrace",
        "resolveLimits",
        "salvageReplyTo",
        "sealMessage",
        "startTrace",
        "textItem",
        "toErrorPayload",
        "toSdlError",
        "verifyEmbedded",
        "writeCbor",
        "writeFrame",
        "writeJcs",
        "writeJson",
        "writePythonJson",
      ]
    `);
  });

  test('loads these packages and no others: no driver, no server library, nothing of Node', () => {
    const { files, specifiers } = closureOf('src/index.ts');
    expect(files.size).toBeGreaterThan(40);
    expect([...new Set([...specifiers].map((name) => packageOf(name)))].sort()).toEqual([
      '@noble/ciphers',
      '@noble/curves',
      '@noble/ed25519',
      '@noble/hashes',
      'ajv',
      'fast-json-patch',
      'lru-cache',
      're2js',
    ]);
  });

  test('loads of ajv only the metaschema documents, none of its code', () => {
    const ajv = [...closureOf('src/index.ts').specifiers].filter(
      (name) => packageOf(name) === 'ajv',
    );
    expect(ajv.length).toBeGreaterThan(0);
    expect(
      ajv.filter((name) => !name.startsWith('ajv/dist/refs/') || !name.endsWith('.json')),
    ).toEqual([]);
  });
});
