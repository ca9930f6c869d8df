// Owns the hosts and origins that an embedder allows. SPEC.md section 11 (#transport-http).

export interface AccessRules {
  /** `name` allows every port of it, `name:port` that port only; IPv6 addresses in brackets. */
  readonly allowedHosts: readonly string[];
  /** Whole origins, such as `https://console.example`. */
  readonly allowedOrigins: readonly string[];
}

export function checkAccessRules(rules: Partial<AccessRules>): void {
  for (const host of rules.allowedHosts ?? []) {
    if (!/^(\[[0-9a-f:.]+\]|[^\s/@:[\]]+)(:\d+)?$/i.test(host)) {
      throw new TypeError('"allowedHosts" expected names such as "agent.example" or "name:port"');
    }
  }
  for (const origin of rules.allowedOrigins ?? []) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new TypeError('"allowedOrigins" expected origins such as "https://console.example"');
    }
  }
}
