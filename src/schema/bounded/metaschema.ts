// Owns the draft 2020-12 metaschema as a document that references may lead to. SPEC.md section 5.1 (#schema-no-fetch).

import schema from 'ajv/dist/refs/json-schema-2020-12/schema.json' with { type: 'json' };
import applicator from 'ajv/dist/refs/json-schema-2020-12/meta/applicator.json' with { type: 'json' };
import content from 'ajv/dist/refs/json-schema-2020-12/meta/content.json' with { type: 'json' };
import core from 'ajv/dist/refs/json-schema-2020-12/meta/core.json' with { type: 'json' };
import formatAnnotation from 'ajv/dist/refs/json-schema-2020-12/meta/format-annotation.json' with { type: 'json' };
import metaData from 'ajv/dist/refs/json-schema-2020-12/meta/meta-data.json' with { type: 'json' };
import unevaluated from 'ajv/dist/refs/json-schema-2020-12/meta/unevaluated.json' with { type: 'json' };
import validation from 'ajv/dist/refs/json-schema-2020-12/meta/validation.json' with { type: 'json' };
import { SchemaCompiler } from './compile.ts';
import { Work } from './work.ts';

let compiled: SchemaCompiler | undefined;

/** Compiled with the first document that leads there: most never do. */
export function metaschema(): SchemaCompiler {
  compiled ??= compileMetaschema();
  return compiled;
}

function compileMetaschema(): SchemaCompiler {
  const compiler = new SchemaCompiler(new Work(Infinity));
  const documents = [
    schema,
    applicator,
    content,
    core,
    formatAnnotation,
    metaData,
    unevaluated,
    validation,
  ];
  for (const document of documents) compiler.readDocument(document, `${document.$id}#`);
  compiler.link(() => undefined);
  return compiler;
}
