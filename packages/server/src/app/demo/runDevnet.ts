import type { Config } from '../../config/schema/schema.ts'
import type { Logger } from '../../lib/logger.ts'
import { DevnetFailedError } from '../errors.ts'
import { findDevnet, startDevnetProcess } from './devnetProcess.ts'
import { demoChainKinds, devnetChainConfig, devnetProcessOptions } from './devnetSetup.ts'

export type RunDevnetOptions = {
  logger: Logger
  signal: AbortSignal
  /**
   * Called once every RPC answers. `chains`: config entries for a service that runs next to the
   * local chains.
   */
  onReady(info: { chains: Record<string, object>; rpcUrls: ReadonlyMap<string, string> }): void
}

/** Runs the local chains without a service until the signal aborts. */
export async function runDevnet(config: Config, options: RunDevnetOptions): Promise<void> {
  const { logger, signal, onReady } = options
  findDevnet()
  const kinds = demoChainKinds(config)
  let end!: (error?: DevnetFailedError) => void
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error))
  })
  signal.addEventListener('abort', () => end())
  const children = kinds.map((chain) =>
    startDevnetProcess({
      ...devnetProcessOptions(chain, config),
      logger,
      onEnd(reason) {
        const limit = `it has ${config.devnet.blocks_max} blocks (devnet.blocks_max)`
        end(
          new DevnetFailedError({
            reason: `${chain.name}: ${reason === 'rollover' ? limit : 'it ended by itself'}`,
          }),
        )
      },
    }),
  )
  try {
    const ready = Promise.all(children.map((child) => child.ready)).then((devnets) =>
      onReady({
        chains: Object.fromEntries(
          devnets.map((devnet, i) => [kinds[i]!.name, devnetChainConfig(kinds[i]!, devnet)]),
        ),
        rpcUrls: new Map(devnets.map(({ rpcUrl }, i) => [kinds[i]!.name, rpcUrl])),
      }),
    )
    await Promise.race([ended, ready])
    await ended
  } finally {
    await Promise.all(children.map((child) => child.stop()))
  }
}
