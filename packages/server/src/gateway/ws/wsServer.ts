import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { Clients } from '../clients/clients.ts'
import { RequestError } from '../errors.ts'
import type { Feed } from '../feed/feed.ts'
import type { Clock } from '../gatewayChain.ts'
import type { Connections } from '../http/connections.ts'
import { hostFault, isWebSocketUpgrade } from '../http/request.ts'
import { KeySockets, type SocketKeys } from '../keys/keySockets.ts'
import { createTurns, type Turns } from '../turns/turns.ts'
import { Connection, type ConnectionContext } from './connection.ts'
import { createConnectionSet } from './connectionSet.ts'
import { closeCodes } from './refusals.ts'
import { createFlushQueue } from './sending/flushQueue.ts'
import {
  createDroppedSubscriptions,
  type DroppedOptions,
} from './subscriptions/droppedSubscriptions.ts'
import { SubscriptionBudget } from './subscriptions/subscriptionBudget.ts'
import { SubscriptionPace } from './subscriptions/subscriptionPace.ts'
import { letGo } from './subscriptions/subscriptionSet.ts'
import { createHandshake } from './upgrade/handshake.ts'
import { ignoreUpgrade, refuseUpgrade } from './upgrade/refuseUpgrade.ts'
import { createUpgradeCallers, isSocketPath, type UpgradeCaller } from './upgrade/upgradeCaller.ts'
import type { WsLimits } from './wsLimits.ts'
import { createStatsReport, createWsStats, type WsStats } from './wsStats.ts'

type WsServerOptions = {
  feed: Feed
  /** Checks API keys. `KeyAccess` implements this interface. */
  keys: SocketKeys
  clock: Clock
  logger: Logger
  metrics: Metrics
  limits: WsLimits
  /** Whether to accept permessage-deflate from clients that offer it. */
  isCompressionEnabled: boolean
  clients: Clients
  /** Scheduler of the whole service. @default a new scheduler */
  turns?: Turns
  /** Time between two checks of all sockets, and between two ticks of the feed. */
  tickMs?: number
}

export type WsServer = {
  /** Handles the upgrades of an HTTP server with these connections. */
  attach(server: Server, connections?: Pick<Connections, 'isBusy' | 'release'>): void
  stats(): Readonly<WsStats>
  /**
   * Refuses new sockets and closes all open sockets slowly, over `drainMsMax`: other servers take
   * over the clients.
   */
  drain(reason: string): Promise<void>
  /**
   * Refuses new sockets, closes all open sockets and waits up to `closeMsMax` for them. Call it
   * before closing the HTTP server.
   */
  close(): Promise<void>
}

const defaultTickMs = 1_000
const noBytes = Buffer.alloc(0)

/** The WebSocket side of the gateway: handshake, keys, JSON-RPC and fan-out of pushes. */
export function createWsServer(options: WsServerOptions): WsServer {
  const { feed, keys, clock, logger, limits, metrics, clients, turns = createTurns() } = options
  const stats = createWsStats()
  const reportStats = createStatsReport(stats, metrics)
  const connections = createConnectionSet()
  const budget = new SubscriptionBudget(limits.subscriptions)
  const drop: DroppedOptions['drop'] = (...item) => letGo(...item, { feed, budget })
  const dropped = createDroppedSubscriptions({ turns, logger, drop })
  const context: ConnectionContext = {
    turns,
    clock,
    logger,
    limits,
    stats,
    subscriptions: { feed, stats, budget, drop: dropped.add },
    pace: new SubscriptionPace(limits.subscriptions.pace),
    keySockets: keys.sockets ?? new KeySockets(),
    flushQueue: createFlushQueue(),
  }
  const callerOf = createUpgradeCallers(keys, clients)
  const handshake = createHandshake(limits, options.isCompressionEnabled)
  const detachers: (() => void)[] = []
  let isClosing = false

  const ticker = setInterval(() => {
    const nowMs = clock.nowMs()
    connections.tick(nowMs)
    feed.tick(nowMs)
    reportStats()
  }, options.tickMs ?? defaultTickMs)
  ticker.unref()

  function onClosed(connection: Connection): void {
    connections.delete(connection)
    stats.sockets = connections.size
  }

  function open(
    { webSocket, isDeflated }: { webSocket: WebSocket; isDeflated: boolean },
    request: IncomingMessage,
    caller: UpgradeCaller,
  ): void {
    const address = clients.addresses.ofRequest(request)
    const connection = new Connection(
      { webSocket, socket: request.socket, address, isDeflated, onClosed },
      context,
    )
    connections.add(connection)
    stats.sockets = connections.size
    connection.open(caller)
  }

  function upgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!isWebSocketUpgrade(request)) {
      ignoreUpgrade(server, request, socket, head)
      return
    }
    const refusal = refusalOf(request, connections.size, isClosing ? 0 : limits.socketsMax)
    if (refusal !== null) {
      refuseUpgrade(socket, refusal)
      return
    }
    const caller = callerOf(request, socket)
    if (caller === null) return
    handshake(request, socket, head, (webSocket, isDeflated) =>
      open({ webSocket, isDeflated }, request, caller),
    )
  }

  return {
    attach(server, httpConnections) {
      const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        const isBusy = httpConnections?.isBusy(socket) ?? false
        const unparsed = httpConnections?.release(socket) ?? noBytes
        // The answer to an earlier request would be written into the WebSocket, so the connection
        // is destroyed.
        if (isBusy) socket.destroy()
        else upgrade(server, request, socket, Buffer.concat([head, unparsed]))
      }
      server.on('upgrade', onUpgrade)
      detachers.push(() => server.off('upgrade', onUpgrade))
    },
    stats: () => ({ ...stats }),
    async drain(reason) {
      isClosing = true
      const { drainMsMax: spreadMsMax, closeMsMax: msMax } = limits
      await connections.closeAll(closeCodes.shutdown, reason, { spreadMsMax, msMax })
    },
    async close() {
      isClosing = true
      const { spreadMsMax, closeMsMax: msMax } = limits
      const reason = 'Server is shutting down'
      await connections.closeAll(closeCodes.shutdown, reason, { spreadMsMax, msMax })
      dropped.stop()
      for (const detach of detachers) detach()
      clearInterval(ticker)
      reportStats()
    },
  }
}

function refusalOf(
  request: IncomingMessage,
  count: number,
  socketsMax: number,
): RequestError | null {
  const fault = hostFault(request)
  if (fault !== null) return fault
  if (!isSocketPath(request.url))
    return new RequestError('not_found', 'WebSockets are served at / and /ws.', 'path')
  if (count < socketsMax) return null
  return new RequestError('unavailable', 'No more WebSockets can be opened now (sockets_max).')
}
