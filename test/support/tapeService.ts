// A market with blocks written by the test behind the real feed and the real WebSocket server, with
// a faulty connection in between.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { evmIds } from '@chaintape/protocol'
import { WebSocket } from 'ws'
import { createTape, type TapeEvent, type TapeOptions } from '../../packages/client/src/index.ts'
import { createScheduler } from '../../packages/server/src/gateway/ground/scheduler.ts'
import type { KeyAccess } from '../../packages/server/src/gateway/keys/keyAccess.ts'
import { createWsServer } from '../../packages/server/src/gateway/ws/wsServer.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import { createMetrics } from '../../packages/server/src/lib/metrics.ts'
import type { FeedMarketOptions } from './feedMarket.ts'
import { defaultSocketLimits } from './gatewayDefaults.ts'
import { buy, createManualMarket } from './manualMarket.ts'
import { startTcpProxy } from './tcpProxy.ts'
import { createUnlimitedClients } from './unlimitedClients.ts'
import { holderOf, keysOf, planWithoutLimits } from './wsService.ts'

export const tapeKey = 'key'

export async function startTapeService(
  options: FeedMarketOptions & { plan?: typeof planWithoutLimits } = {},
) {
  const market = createManualMarket(options)
  // The market's ids are not addresses, so they are used unparsed.
  const asWritten = (text: string) => text
  Object.assign(market.chain, { ids: { ...evmIds, pair: asWritten, token: asWritten } })
  const http = createServer()
  const sent: string[] = []
  const holder = holderOf(1, options.plan ?? planWithoutLimits)
  const keys = keysOf({ [tapeKey]: holder })
  const server = createWsServer({
    feed: market.feed,
    keys,
    metrics: createMetrics(),
    logger: createLogger('silent'),
    clock: { nowMs: () => Date.now() },
    limits: defaultSocketLimits,
    isCompressionEnabled: false,
    clients: createUnlimitedClients(keys as KeyAccess),
    // An endless time slice: a subscription is active when its answer is sent, on slow machines
    // too.
    scheduler: createScheduler(Number.POSITIVE_INFINITY, 10_000),
    tickMs: 20,
  })
  server.attach(http)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const proxy = await startTcpProxy(`http://127.0.0.1:${(http.address() as AddressInfo).port}`)
  const tapes: ReturnType<typeof createTape>[] = []

  /** A WebSocket that records sent messages. */
  class RecordedSocket extends WebSocket {
    override send(text: string) {
      sent.push(text)
      super.send(text)
    }
  }

  return {
    market,
    proxy,
    holder,
    /** Params of each call of the method. */
    sentParams: (method: string) =>
      sent
        .map((text) => JSON.parse(text))
        .filter((call) => call.method === method)
        .map(({ params }) => params),
    /** Opens a client and records its events. */
    open(more: TapeOptions = {}) {
      const events: TapeEvent[] = []
      const tape = createTape({
        url: proxy.address,
        key: tapeKey,
        WebSocket: RecordedSocket,
        // A slow machine may delay heartbeats for seconds: tests that need them set a shorter
        // interval.
        heartbeatS: 60,
        reconnectMsMax: 50,
        ...more,
      })
      tape.on((event) => events.push(event))
      tapes.push(tape)
      return {
        tape,
        events,
        types: () => events.map(({ type }) => type).filter((type) => type !== 'heartbeat'),
      }
    },
    /** Commits a block with `count` swaps of pair 1. */
    trade(count = 1, name = 'tx') {
      const events = Array.from({ length: count }, (_, at) => buy(`${name}-${at}`))
      return market.commit({ events })
    },
    /** Commits a block after which token 4 has this many holders. */
    count(holders: number) {
      const amounts = { total: 1_000n, burnt: 0n, locked: 0n, other: 0n }
      return market.commit({ supplies: [{ tokenId: 4, ...amounts, holders, isComplete: true }] })
    },
    socketCount: () => server.stats().sockets,
    async stop() {
      await Promise.all(tapes.map((tape) => tape.close()))
      await proxy.close()
      await server.close()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}
