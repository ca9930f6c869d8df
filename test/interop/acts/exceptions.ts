// Owns which tests of ACTS are not to be passed, each with its reason.

/** It has to fail, and just in this way: else the exception is no longer needed. */
export interface Contradiction {
  readonly reason: string;
  readonly failure: RegExp;
}

export const CONTRADICTIONS: Readonly<Record<string, Contradiction>> = {
  'REST-PD-001': {
    reason: 'wants problem+json; the released text has {"error": {code, status, message, details}}',
    failure: /^get-missing-problem: body\.type: expected type "string", found nothing$/,
  },
  'SEC-AUTH-006': {
    reason: 'wants "title" or "error" in the public card, which is no refusal',
    failure: /^get-agent-card-without-auth: body: expected any_of /,
  },
  'CORE-CAP-001': {
    reason: 'wants UnsupportedOperationError where the protocol has an error of its own',
    failure:
      /^set-config: error\.code: expected "UnsupportedOperationError", found "PushNotificationNotSupportedError"$/,
  },
  'PUSH-CFG-004': {
    reason: 'wants UnsupportedOperationError where the protocol has an error of its own',
    failure:
      /^set-config: error\.code: expected "UnsupportedOperationError", found "PushNotificationNotSupportedError"$/,
  },
  'CORE-ERR-007': {
    reason: 'wants an object where the text, CORE-ERR-008 and JSONRPC-ERR-003 have an array',
    failure: /^get-missing-structured: error\.data: expected type "object", found \[/,
  },
};

/** The same of tests for clients. */
export const CLIENT_CONTRADICTIONS: Readonly<Record<string, Contradiction>> = {
  'CLIENT-PARSE-006': {
    reason: 'its parts "file" and "fileUrl" are of no released wire: 1.0 has "raw" and "url"',
    failure: /its artifact is not valid: parts\[0\] expected one of text, raw, url and data$/,
  },
};

/** What is no test of a server: client.test.ts runs it. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  'CLIENT-PARSE-001': 'a client reads it',
  'CLIENT-PARSE-002': 'a client reads it',
  'CLIENT-PARSE-003': 'a client reads it',
  'CLIENT-PARSE-004': 'a client reads it',
  'CLIENT-PARSE-005': 'a client reads it',
  'CLIENT-PARSE-006': 'a client reads it',
  'CLIENT-AUTH-001': 'a client reads it',
  'CLIENT-CAP-001': 'a client reads it',
  'SEC-PUSH-002': 'a client refuses web hooks that are not authentic',
};
