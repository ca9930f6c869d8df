// Owns a card as the protobuf package of 0.3 has it, for its gRPC binding: the same agent, other shapes of security.
// SPEC.md section 21 (#a2a-card).

import type { JsonObject, JsonValue } from '../../../src/codec/index.ts';
import { legacyView } from './canonical.ts';
import { present } from './empty.ts';
import type { CardRequirement } from './security.ts';
import { requirementForm } from './security.ts';

type Members = Readonly<Record<string, JsonValue | undefined>>;

/** @param card in the form `superset` */
export function legacyProtoForm(card: JsonObject): JsonObject {
  const { iconUrl: _icon, security, ...told } = legacyView(card).card as Members;
  const skills = told['skills'] as JsonObject[];
  const schemes = Object.entries((card['securitySchemes'] ?? {}) as Record<string, Members>);
  return present({
    ...told,
    security: protoRequirements(security),
    skills: skills.map((skill) =>
      present({ ...skill, security: protoRequirements(skill['security']) }),
    ),
    securitySchemes: Object.fromEntries(
      schemes.map(([name, scheme]) => [name, protoScheme(scheme)]),
    ),
    signatures: card['signatures'],
  });
}

function protoRequirements(requirements: JsonValue | undefined): JsonValue | undefined {
  return (requirements as CardRequirement[] | undefined)?.map(requirementForm);
}

/** One of these is there. */
function protoScheme(scheme: Members): JsonObject {
  return present({
    apiKeySecurityScheme: scheme['apiKeySecurityScheme'],
    httpAuthSecurityScheme: scheme['httpAuthSecurityScheme'],
    openIdConnectSecurityScheme: scheme['openIdConnectSecurityScheme'],
    mtlsSecurityScheme: scheme['mtlsSecurityScheme'],
    oauth2SecurityScheme: withoutPkce(scheme['oauth2SecurityScheme'] as Members | undefined),
  });
}

function withoutPkce(scheme: Members | undefined): JsonObject | undefined {
  if (scheme === undefined) return undefined;
  const flows = Object.entries(scheme['flows'] as Record<string, Members>).map(
    ([name, { pkceRequired: _pkce, ...flow }]) => [name, present(flow)] as const,
  );
  return present({ ...scheme, flows: Object.fromEntries(flows) });
}
