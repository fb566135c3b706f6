import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { Clock } from '../chain/gatewayChain.ts'
import type { Clients } from '../clients/clients.ts'
import type { Feed } from '../feed/feed.ts'
import { createScheduler, type Scheduler } from '../ground/scheduler.ts'
import type { HttpConnections } from '../http/connections.ts'
import { isWebSocketUpgrade } from '../http/request.ts'
import { KeySockets, type SocketKeyAccess } from '../keys/keySockets.ts'
import { Connection, type ConnectionContext } from './connection.ts'
import { closeCodes } from './refusals.ts'
import { createFlushQueue } from './sending/flushQueue.ts'
import { SubscribeRateLimiter, SubscriptionBudget } from './subscriptions/subscriptionLimits.ts'
import { createDroppedSubscriptions, endSubscription } from './subscriptions/subscriptionSet.ts'
import {
  createHandshake,
  createUpgradeAuth,
  ignoreUpgrade,
  refuseUpgrade,
  type UpgradeCaller,
  upgradeRefusal,
} from './upgrade.ts'
import type { WsLimits } from './wsLimits.ts'
import { createStatsReporter, createWsStats, type WsStats } from './wsStats.ts'

type WsServerOptions = {
  feed: Feed
  /** Checks API keys. `KeyAccess` implements this interface. */
  keys: SocketKeyAccess
  clock: Clock
  logger: Logger
  metrics: Metrics
  limits: WsLimits
  /** Whether to accept permessage-deflate from clients that offer it. */
  isCompressionEnabled: boolean
  clients: Clients
  /** Scheduler of the whole service. @default a new scheduler */
  scheduler?: Scheduler
  /** Time between two checks of all sockets, and between two ticks of the feed. */
  tickMs?: number
}

export type WsServer = {
  /** Handles the upgrades of an HTTP server with these connections. */
  attach(server: Server, connections?: Pick<HttpConnections, 'isBusy' | 'release'>): void
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

type OpenedSocket = { webSocket: WebSocket; isDeflated: boolean }

const defaultTickMs = 1_000
const noBytes = Buffer.alloc(0)

/** The WebSocket side of the gateway: handshake, keys, JSON-RPC and fan-out of pushes. */
export function createWsServer(options: WsServerOptions): WsServer {
  const { feed, keys, clock, logger, limits, metrics, clients } = options
  const { scheduler = createScheduler() } = options
  const stats = createWsStats()
  const reportStats = createStatsReporter(stats, metrics)
  const connections = createConnectionSet()
  const budget = new SubscriptionBudget(limits.subscriptions)
  const dropped = createDroppedSubscriptions(scheduler, logger, (...item) =>
    endSubscription(...item, { feed, budget }),
  )
  const context: ConnectionContext = {
    scheduler,
    clock,
    logger,
    limits,
    stats,
    subscriptions: { feed, stats, budget, drop: dropped.add },
    subscribeRate: new SubscribeRateLimiter(limits.subscriptions.subscribeRate),
    keySockets: keys.sockets ?? new KeySockets(),
    flushQueue: createFlushQueue(),
  }
  const callerOf = createUpgradeAuth(keys, clients)
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

  function open(opened: OpenedSocket, request: IncomingMessage, caller: UpgradeCaller): void {
    const address = clients.addresses.ofRequest(request)
    const parts = { ...opened, socket: request.socket, address, onClosed }
    const connection = new Connection(parts, context)
    connections.add(connection)
    stats.sockets = connections.size
    connection.open(caller)
  }

  function upgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!isWebSocketUpgrade(request)) {
      ignoreUpgrade(server, request, socket, head)
      return
    }
    const refusal = upgradeRefusal(request, connections.size, isClosing ? 0 : limits.socketsMax)
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
      await connections.closeAll(closeCodes.shutdown, reason, spreadMsMax, msMax)
    },
    async close() {
      isClosing = true
      const { spreadMsMax, closeMsMax: msMax } = limits
      const reason = 'Server is shutting down'
      await connections.closeAll(closeCodes.shutdown, reason, spreadMsMax, msMax)
      dropped.stop()
      for (const detach of detachers) detach()
      clearInterval(ticker)
      reportStats()
    },
  }
}

// Closing 1,000 clients a second does not overload the server they reconnect to, and a few are
// closed immediately.
const closeMsPerConnection = 1
const closeRoundMs = 20

/** Connections of a server that are not fully closed yet. */
type ConnectionSet = {
  readonly size: number
  add(connection: Connection): void
  delete(connection: Connection): void
  tick(nowMs: number): void
  /**
   * Closes all connections, spread over up to `spreadMsMax`, so that clients do not all reconnect
   * at the same moment. Connections still open `msMax` after that are terminated.
   */
  closeAll(code: number, reason: string, spreadMsMax: number, msMax: number): Promise<void>
}

export function createConnectionSet(): ConnectionSet {
  const connections = new Set<Connection>()
  let onEmpty: (() => void) | null = null

  return {
    get size() {
      return connections.size
    },
    add: (connection) => void connections.add(connection),
    delete(connection) {
      connections.delete(connection)
      if (connections.size === 0) onEmpty?.()
    },
    tick(nowMs) {
      for (const connection of connections) connection.tick(nowMs)
    },
    async closeAll(code, reason, spreadMsMax, msMax) {
      if (connections.size === 0) return
      const isEmpty = new Promise<void>((resolve) => {
        onEmpty = resolve
      })
      await closeGradually([...connections], code, reason, spreadMsMax)
      const timer = setTimeout(() => {
        for (const connection of connections) connection.terminate()
      }, msMax)
      await isEmpty
      clearTimeout(timer)
    },
  }
}

async function closeGradually(
  open: readonly Connection[],
  code: number,
  reason: string,
  spreadMsMax: number,
): Promise<void> {
  const spreadMs = Math.min(open.length * closeMsPerConnection, spreadMsMax)
  const rounds = Math.max(1, Math.floor(spreadMs / closeRoundMs))
  const each = Math.ceil(open.length / rounds)
  for (let at = 0; at < open.length; at += each) {
    if (at > 0) await delay(closeRoundMs)
    for (const connection of open.slice(at, at + each)) connection.close(code, reason)
  }
}
