// Owns A2A over REST: which wire a request is of, what it asks by its path, query and body, and its answers.
// SPEC.md section 20 (#a2a-rest).

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import { isJsonObject, writeJsonText } from '../../../src/transport.ts';
import type { HttpCall } from '../../../transports/http/index.ts';
import type { A2aError } from '../errors/a2a-error.ts';
import { invalidInput, refusal } from '../errors/a2a-error.ts';
import { readQuery } from '../fields/query.ts';
import type { OperationName } from '../operations/inputs.ts';
import type { Wire } from '../wires/wire.ts';
import { WIRES } from '../wires/wires.ts';
import { NO_BODY, bodyOf } from './body.ts';
import type { Exchange, Service } from './exchange.ts';
import type { Begun, Writer } from './http-answer.ts';
import { beginHttp, refusalHeaders, tellHttp } from './http-answer.ts';
import { mediaTypeOf, namesA2aType } from './media.ts';
import type { ChosenWire, RestPath } from './paths.ts';
import { restWireOf } from './paths.ts';
import { isPush, pushValueOf } from './push-values.ts';
import type { RestForm } from './rest-forms.ts';
import { restFormFor } from './rest-forms.ts';
import { versionOf, versionRefusal } from './version.ts';

export async function serveRest(http: HttpCall, exchange: Exchange, path: RestPath): Promise<void> {
  const { service } = exchange;
  let form = formFor(http, path, service);
  try {
    await exchange.identify();
    const begun = await ask(http, exchange, path, (known) => (form = known));
    await tellHttp(http, exchange, begun);
  } catch (thrown) {
    await refuseWith(http, form, exchange.told(thrown));
  }
}

/** @param onForm told the form of the wire, for what is refused afterwards. */
async function ask(
  http: HttpCall,
  exchange: Exchange,
  path: RestPath,
  onForm: (form: RestForm) => void,
): Promise<Begun> {
  const { service } = exchange;
  const { limits } = service.context;
  const operation = operationOf(http, path);
  const { bytes, value: body } = http.method === 'POST' ? await bodyOf(http, limits) : NO_BODY;
  const form = formFor(http, path, service, body);
  onForm(form);
  const chosen = chosenFor(http, path, body);
  const wire = WIRES[chosen.wire];
  const value = valueOf({ http, path, wire, operation, body }, chosen.tenant);
  const writer = writerFor(http, form, operation);
  const carrier = { binding: 'HTTP+JSON', bytes, mediaType: mediaTypeOf(http) } as const;
  const asked = { wire, operation, value, carrier };
  return beginHttp(exchange, asked, writer);
}

/** For what is refused before the body is looked at. */
export function refuseRest(
  http: HttpCall,
  path: RestPath,
  service: Service,
  error: A2aError,
): Promise<void> {
  return refuseWith(http, formFor(http, path, service), error);
}

function refuseWith(http: HttpCall, form: RestForm, error: A2aError): Promise<void> {
  const { status, type, body } = form.refusal(error);
  const headers = { 'content-type': type, ...refusalHeaders(error) };
  return http.answer(status, headers, writeJsonText(body));
}

function writerFor(http: HttpCall, form: RestForm, operation: OperationName): Writer {
  return {
    answer: (body, headers) => {
      const status = form.statusOf(operation);
      if (status === NO_CONTENT) return http.answer(status, headers);
      return http.answer(status, { 'content-type': form.type, ...headers }, writeJsonText(body));
    },
    frame: (data) => data,
    refusal: (error) => ({ event: 'error', data: writeJsonText(form.refusal(error).body) }),
    tellsInStream: () => false,
  };
}

/** In the form of the wire, as far as that is known; where the version is not, by the path. */
function formFor(http: HttpCall, path: RestPath, service: Service, body?: JsonValue): RestForm {
  const version = versionOf(http);
  const byPath = path.prefix.includes('v1') ? 'draft' : 'v1';
  const chosen = version === 'other' ? undefined : restWireOf(path, version, hintsOf(http, body));
  return restFormFor(http, chosen?.wire ?? (version === '1.0' ? 'v1' : byPath), service.profile);
}

function chosenFor(http: HttpCall, path: RestPath, body: JsonValue | undefined): ChosenWire {
  const version = versionOf(http);
  if (version === 'other') throw versionRefusal();
  const chosen = restWireOf(path, version, hintsOf(http, body));
  if (chosen !== undefined) return chosen;
  throw refusal('METHOD_NOT_FOUND', 'ADDRESS_WRONG', 'this version of A2A has no such path');
}

function hintsOf(http: HttpCall, body: JsonValue | undefined): Parameters<typeof restWireOf>[2] {
  return { hasA2aType: namesA2aType(http), body };
}

function operationOf({ method }: HttpCall, { verbs }: RestPath): OperationName {
  const operation = Object.hasOwn(verbs, method) ? verbs[method] : undefined;
  if (operation !== undefined) return operation;
  throw refusal('METHOD_NOT_ALLOWED', 'ADDRESS_WRONG', 'the path does not take this method', {
    allow: Object.keys(verbs),
  });
}

interface Parts {
  readonly http: HttpCall;
  readonly path: RestPath;
  readonly wire: Wire;
  readonly operation: OperationName;
  readonly body: JsonValue | undefined;
}

const NO_CONTENT = 204;

/** All that was said, wherever it stood, as one object. What the path says counts. */
function valueOf(parts: Parts, inPath: string | undefined): JsonObject {
  const { http, path, body, operation } = parts;
  const said = isPush(operation)
    ? pushValueOf({ ...parts, query: http.query })
    : { ...saidIn(parts), ...(path.id !== undefined && { id: path.id }) };
  // Somebody on the way may look at one of them only, so they must agree.
  const tenants = [inPath, said['tenant'], ...http.query.getAll('tenant')].filter(isNamed);
  const [tenant] = tenants;
  if (tenants.some((other) => other !== tenant)) {
    throw invalidInput([{ field: 'tenant', description: 'was said in two ways' }]);
  }
  if ((operation === 'send' || operation === 'stream') && !isJsonObject(body)) {
    throw invalidInput([{ field: '', description: 'expected an object' }]);
  }
  return { ...said, ...(tenant !== undefined && { tenant }) };
}

function isNamed(tenant: JsonValue | undefined): tenant is JsonValue {
  return tenant !== undefined && tenant !== null && tenant !== '';
}

function saidIn({ http, wire, operation, body }: Parts): JsonObject {
  if (operation === 'list' || operation === 'get') {
    const message = wire.queries[operation === 'list' ? 'list' : 'task'];
    return readQuery(wire.table, message, http.query);
  }
  if (operation === 'send' || operation === 'stream') return isJsonObject(body) ? body : {};
  // Clients say the task again, or nothing at all.
  const tenant = isJsonObject(body) ? body['tenant'] : undefined;
  return tenant === undefined ? {} : { tenant };
}
