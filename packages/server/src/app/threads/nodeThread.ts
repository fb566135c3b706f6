// Worker that queries a chain's nodes for API callers and analyzes contracts. Decoding large
// answers and walking contract code would stall the serving thread.
import { strict as assert } from 'node:assert'
import { parentPort, workerData } from 'node:worker_threads'
import type { AuditRequest } from '../../audit/auditRequest.ts'
import type { ThreadAudits } from '../../audit/threadAudits.ts'
import type { EndpointRates } from '../../chain/rpc/rateLimit.ts'
import type { NodesOptions } from '../../kinds/chainKind.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { EndpointStats } from '../../kinds/intake.ts'
import type { LoggerOptions } from '../../lib/logger.ts'
import type { HoldingsQuery } from '../../model/walletFacts.ts'
import { nothingFound } from '../../risk/riskChecker.ts'
import type { RiskSubject } from '../../risk/riskSubject.ts'
import { createChainLogger, serveCalls } from './threadCalls.ts'

/** Data to start the worker with. */
export type NodeThreadData = Omit<NodesOptions, 'logger' | 'rates'> & { log: LoggerOptions }

const endpointsEveryMs = 250

const { log, ...data } = workerData as NodeThreadData
assert(parentPort !== null, 'this file runs in a thread')
const logger = createChainLogger(log, data.setup.profile.name)
const rates: EndpointRates = new Map()
const nodes = await chainKindOf(data.setup).connectNodes({ ...data, rates, logger })
let audits: ThreadAudits | null = null

const handlers = {
  check: async (subject: RiskSubject, signal: AbortSignal) =>
    (await nodes.checker?.check(subject, signal)) ?? nothingFound,
  readWallets: (addresses: readonly string[], signal: AbortSignal) =>
    nodes.readWallets(addresses, signal),
  readHoldings: async (query: HoldingsQuery, signal: AbortSignal) =>
    (await nodes.readHoldings?.(query, signal)) ?? new Map(),
  readImages: async (tokens: readonly string[], signal: AbortSignal) =>
    (await nodes.readImages?.(tokens, signal)) ?? new Map(),
  async audit(question: AuditRequest, signal: AbortSignal) {
    // Load the store and the decoders only when an audit needs them.
    const { createThreadAudits } = await import('../../audit/threadAudits.ts')
    audits ??= createThreadAudits(question.connection, logger, rates)
    return await audits.audit(question, signal)
  },
}

export type NodeThreadHandlers = typeof handlers

let lastEndpoints = ''

function showEndpoints(): void {
  const endpoints = nodes.endpoints()
  const text = JSON.stringify(endpoints)
  if (text === lastEndpoints) return
  lastEndpoints = text
  report(endpoints)
}

const timer = setInterval(showEndpoints, endpointsEveryMs)
const report = serveCalls<readonly EndpointStats[]>(parentPort, handlers, async () => {
  clearInterval(timer)
  await Promise.all([nodes.close(), audits?.close()])
})
