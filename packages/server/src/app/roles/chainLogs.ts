import { isLogOnNats } from '../../config/schema/natsSchema.ts'
import type { Config } from '../../config/schema/schema.ts'
import type { Logger } from '../../lib/logger.ts'
import { openNatsLogReader } from '../../log/nats/natsLogReader.ts'
import { connectNats, type NatsOptions, type NatsServer } from '../../log/nats/natsServer.ts'
import { openNatsStream } from '../../log/nats/natsStream.ts'
import type { Store } from '../../store/openStore.ts'
import { configuredSetups } from '../chain/configuredChains.ts'
import { openNatsWriter } from '../chain/natsWriter.ts'
import type { WarmMarkets } from '../chain/warmMarket.ts'

export function natsOptionsOf({ nats }: Pick<Config, 'nats'>): NatsOptions {
  const { ca_file: caFile, cert_file: certFile, key_file: keyFile } = nats
  const isEncrypted = caFile !== undefined || nats.urls.some((url) => url.startsWith('tls:'))
  return {
    urls: nats.urls,
    user: nats.user,
    password: nats.password,
    token: nats.token,
    credentialsFile: nats.credentials_file,
    tls: isEncrypted
      ? {
          ...(caFile === undefined ? {} : { caFile }),
          ...(certFile === undefined ? {} : { certFile }),
          ...(keyFile === undefined ? {} : { keyFile }),
        }
      : undefined,
    replicas: nats.replicas === 0 ? undefined : nats.replicas,
    streamBytesMax: nats.stream_bytes_max,
    prefix: nats.prefix,
  }
}

export type ChainLogs = {
  /** The store, with chain logs in NATS or PostgreSQL as configured. */
  store: Store
  close(): Promise<void>
}

type LogParts = {
  logger: Logger
  /** Markets of a standby indexer. */
  warmMarkets: WarmMarkets
}

/** Redirects chain logs to NATS if the config says so. */
export async function openChainLogs(
  config: Config,
  store: Store,
  { logger, warmMarkets }: LogParts,
): Promise<ChainLogs> {
  if (!isLogOnNats(config)) return { store, close: async () => undefined }
  const server = await connectNats(natsOptionsOf(config))
  return {
    store: withNatsLogs(config, store, { server, logger, warmMarkets }),
    close: server.close,
  }
}

function withNatsLogs(
  config: Config,
  store: Store,
  { server, logger, warmMarkets }: LogParts & { server: NatsServer },
): Store {
  const profiles = new Map(configuredSetups(config).map(({ profile }) => [profile.name, profile]))
  return {
    ...store,
    openLog: (options) =>
      openNatsLogReader(
        openNatsStream(server, options.chainId),
        options.chain,
        store.openLog(options),
      ),
    openWriter: (options) =>
      openNatsWriter({
        ...options,
        store,
        server,
        warmMarkets,
        logger,
        profile: profiles.get(options.chain)!,
      }),
  }
}
