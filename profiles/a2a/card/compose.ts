// Owns an agent card before it is signed: the members of 1.0, and beside them those of 0.3. SPEC.md section 21 (#a2a-card).

import type { JsonObject } from '../../../src/codec/index.ts';
import { present, requireFull } from './empty.ts';
import type {
  CardExtension,
  CardFacts,
  CardForm,
  CardInterface,
  CardProvider,
  CardSkill,
} from './options.ts';
import type { CardRequirement, CardSecurity } from './security.ts';
import { requirementForm, requirementsOf, resolveRequirements, schemeForms } from './security.ts';

const MODES: readonly string[] = ['text/plain', 'application/json'];
const VERSION = '1.0.0';
const LEGACY_VERSION = '0.3.0';

/** Throws a TypeError that names what is missing or empty. */
export function composeCard(form: CardForm, facts: CardFacts): JsonObject {
  const { about, details, capabilities, security } = facts;
  const name = about.name || about.agentId;
  const { description, version, provider, documentationUrl, iconUrl } = details;
  const skills = filled(details.skills) ?? [usualSkill(name)];
  const isSuperset = form === 'superset';
  const requirements = requirementsOf(security);
  const card = present({
    name,
    description: description || `${name} takes tasks from other agents.`,
    supportedInterfaces: interfacesOf(facts, isSuperset),
    provider: provider && providerForm(provider),
    version: version || VERSION,
    documentationUrl,
    iconUrl,
    capabilities: {
      streaming: capabilities.streaming,
      pushNotifications: capabilities.pushNotifications,
      extendedAgentCard: capabilities.extendedAgentCard,
      ...present({ extensions: capabilities.extensions?.map(extensionForm) }),
    },
    securitySchemes: schemesOf(security, isSuperset),
    securityRequirements: requirements.map(requirementForm),
    defaultInputModes: filled(details.inputModes) ?? MODES,
    defaultOutputModes: filled(details.outputModes) ?? MODES,
    skills: skills.map((skill, at) => skillForm(skill, `skills[${at}]`, security, isSuperset)),
  });
  if (!isSuperset) return card;
  return { ...card, ...legacyMembers(facts, requirements) };
}

/** What 0.3 and its draft read and 1.0 does not have; nothing where no interface speaks 0.3 over HTTP. */
function legacyMembers(
  { interfaces, capabilities }: CardFacts,
  requirements: readonly CardRequirement[],
): JsonObject {
  const spoken = interfaces
    .filter(({ protocolVersion, tenant = '' }) => protocolVersion === '0.3' && tenant === '')
    .map(({ url, binding }) => ({ url: legacyUrl(url, binding), transport: binding }));
  const main = spoken.find(({ transport }) => transport !== 'GRPC');
  if (main === undefined) return {};
  return present({
    protocolVersion: LEGACY_VERSION,
    url: main.url,
    preferredTransport: main.transport,
    // With the main one too: some clients look nowhere else.
    additionalInterfaces: spoken,
    // 0.3 promises by it that nobody else gets one.
    supportsAuthenticatedExtendedCard: capabilities.extendedAgentCard && requirements.length > 0,
    supportsExtendedAgentCard: capabilities.extendedAgentCard,
    security: requirements,
  });
}

function interfacesOf({ interfaces }: CardFacts, withLegacy: boolean): JsonObject[] {
  const spoken = withLegacy
    ? interfaces
    : interfaces.filter(({ protocolVersion }) => protocolVersion === '1.0');
  if (spoken.length === 0) throw new TypeError('"interfaces" expected at least one of 1.0');
  return [...spoken].sort(newestFirst).map(({ url, binding, tenant, protocolVersion }, at) =>
    present({
      url: currentUrl(requireFull(url, `interfaces[${at}].url`), binding),
      protocolBinding: binding,
      tenant,
      protocolVersion,
    }),
  );
}

/** The first interface of a binding is what many clients take; among the same version the order stays. */
function newestFirst(one: CardInterface, other: CardInterface): number {
  return Number(other.protocolVersion) - Number(one.protocolVersion);
}

/** Clients of 1.0 hand the address of gRPC to their channel as it is; 0.3 has a URL there. */
function currentUrl(url: string, binding: CardInterface['binding']): string {
  return binding === 'GRPC' ? url.replace(/^https?:\/\//, '') : url;
}

function legacyUrl(url: string, binding: CardInterface['binding']): string {
  return binding === 'GRPC' && !url.includes('://') ? `http://${url}` : url;
}

function providerForm({ organization, url }: CardProvider): JsonObject {
  return requireFull({ organization, url }, 'provider');
}

function extensionForm(extension: CardExtension, at: number): JsonObject {
  const { uri, description, required = false, params } = extension;
  const path = `capabilities.extensions[${at}]`;
  return present({
    uri: requireFull(uri, `${path}.uri`),
    description,
    // False is what is meant where nothing is said.
    required: required ? true : undefined,
    params: params && requireFull(params, `${path}.params`),
  });
}

function schemesOf(security: CardSecurity | undefined, withLegacy: boolean): JsonObject {
  const entries = Object.entries(security?.schemes ?? {}).map(([name, scheme]) => {
    const { current, legacy } = schemeForms(scheme, `security.schemes.${name}`);
    const form = withLegacy ? { ...legacy, ...current } : current;
    return [requireFull(name, 'security.schemes'), form] as const;
  });
  return Object.fromEntries(entries);
}

function skillForm(
  skill: CardSkill,
  path: string,
  security: CardSecurity | undefined,
  withLegacy: boolean,
): JsonObject {
  const { id, name, description, tags, examples, inputModes, outputModes } = skill;
  const schemes = security?.schemes ?? {};
  const asked = resolveRequirements(skill.requirements ?? [], schemes, `${path}.requirements`);
  return {
    ...requireFull({ id, name, description, tags }, path),
    ...present({
      examples: filled(examples),
      inputModes: filled(inputModes),
      outputModes: filled(outputModes),
      securityRequirements: asked.map(requirementForm),
      security: withLegacy ? asked : undefined,
    }),
  };
}

function usualSkill(name: string): CardSkill {
  return {
    id: 'task',
    name: 'Tasks',
    description: `Does a task that is given to ${name} in words, files or data.`,
    tags: ['task'],
  };
}

/** Nothing said is what an empty list means. */
function filled<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  const full = list?.filter((item) => item !== '');
  return full === undefined || full.length === 0 ? undefined : full;
}
