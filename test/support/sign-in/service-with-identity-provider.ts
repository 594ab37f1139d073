import type { Settings } from "../../../server/settings/settings.ts";
import { type Service, type ServiceOptions, startService } from "../service/service.ts";
import { clientId, startIdentityProvider, type TestIdentityProvider } from "./identity-provider.ts";

export interface ServiceWithProvider {
  readonly service: Service;
  readonly provider: TestIdentityProvider;
  /** The address where a person starts to sign in, to continue to `to`. */
  start(to?: string): string;
  stop(): Promise<void>;
}

/** The server with one real provider, called `inn`, with which people sign in. */
export async function startServiceWithProvider(options: ServiceOptions = {}): Promise<ServiceWithProvider> {
  const provider = await startIdentityProvider();
  const { issuer, clientSecret } = provider;
  const known = { id: "inn", name: "Inn ID", issuer, clientId, clientSecret };
  const settings: Partial<Settings> = { identityProviders: [known], ...options.settings };
  const service = await startService({ ...options, settings });
  provider.register(`${service.baseUrl}/tavern/with/inn/callback`);
  return {
    service,
    provider,
    start: (to = "") => `${service.baseUrl}/tavern/with/inn${to && `?${new URLSearchParams({ to })}`}`,
    async stop() {
      await service.stop();
      await provider.stop();
    },
  };
}
