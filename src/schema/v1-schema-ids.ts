// Owns the hashes of the schemas that v1 peers embed. They count as registered. SPEC.md section 5.2 (#schema-v1-ids).

import type { ContentHash } from './content-hash.ts';

export const V1_SCHEMA_IDS: ReadonlyMap<string, ContentHash> = new Map<string, ContentHash>([
  ['artifact.v1', 'sha256:9b02c0a327d213ab0b8643f7ebc95d0353c3c086d14d640a83386a5b4967c211'],
  ['error.v1', 'sha256:b8fc4585fe13cb984434235f7801fbb739abb2375b38e4e6a105522fc39aa3e0'],
  ['negotiation.v1', 'sha256:eb9601582f1259745cf929b937c9a60c8914deea991b716c2b47496c22b21c38'],
  ['session.v1', 'sha256:995e1b527ab97aa05a1ae39bf4cabbad696918eb3d810d5baa699c817b2673f9'],
  ['state.v1', 'sha256:adf31fbaa9e6eecf1b64fa3cfc9bcf673cb7253decbe50d006d6cc3cf8f1675e'],
  ['task.v1', 'sha256:84bddbab47fbbb7bd7f9122c440db6b922649f47f43e78e9a8e237c624a3d348'],
  ['toolcall.v1', 'sha256:6c82884fe6bae588dc2d12af14883a948b07eacce1d45b9c7db4c93b90673ead'],
  ['toolresult.v1', 'sha256:4fa3071df2df806afe35526ccf442b9647beb4cefb0ff30da93d303e76981bb6'],
  ['trustsync.v1', 'sha256:679444fcfb09aba3d3b5485d6bdc9f82389b5c7b3d12cb80c7767005b046b463'],
]);
