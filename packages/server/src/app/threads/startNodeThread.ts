import { Worker } from 'node:worker_threads'
import type { AuditRequest, AuditResult } from '../../audit/auditRequest.ts'
import type { ConnectedNodes, EndpointStats } from '../../kinds/intake.ts'
import { AppError } from '../../lib/errors.ts'
import { type Logger, loggerOptionsOf } from '../../lib/logger.ts'
import type { RiskChecker } from '../../risk/riskChecker.ts'
import { RiskUnavailableError } from '../../risk/riskChecker.ts'
import { ThreadCallError } from '../errors.ts'
import type { NodeThreadData, NodeThreadHandlers } from './nodeThread.ts'
import { createThread } from './threadCalls.ts'

export type NodeThreadOptions = Omit<NodeThreadData, 'tallies' | 'log'> & {
  logger: Logger
  /** Creates the worker. @default the worker of this program */
  openWorker?: ((data: NodeThreadData) => Worker) | undefined
}

/**
 * Node queries of one chain. Always has a checker, since only the worker knows whether the chain
 * kind supports one.
 */
export type NodeQueries = Required<ConnectedNodes> & {
  checker: RiskChecker
  /** Compares stored blocks with the nodes. Rejects with an AppError if the nodes do not answer. */
  audit(question: AuditRequest, signal: AbortSignal): Promise<AuditResult>
}

// A contract takes a few megabytes, the logs of a pair's shares tens, an audit's Solana blocks
// hundreds.
const maxOldGenerationSizeMb = 1_024

/**
 * Queries a chain's nodes in its own worker, which the first query starts. All callers share one
 * set of connections, and so the endpoints' rates and failover.
 */
export function startNodeThread(options: NodeThreadOptions): NodeQueries {
  const { logger, openWorker = openNodeWorker, ...data } = options
  let tallies: readonly EndpointStats[] = []
  const thread = createThread<NodeThreadHandlers, readonly EndpointStats[]>({
    name: `nodes of ${data.setup.profile.name}`,
    start: () => openWorker({ ...data, tallies, log: loggerOptionsOf(logger) }),
    onReport(newest) {
      tallies = newest
    },
    logger,
  })

  return {
    checker: {
      async check(subject, signal) {
        try {
          return await thread.call('check', subject, signal)
        } catch (cause) {
          if (!(cause instanceof ThreadCallError) || signal.aborted) throw cause
          const { address: token } = subject
          throw new RiskUnavailableError({ token, reason: cause.reason, cause })
        }
      },
    },
    readWallets: (...given) => emptyOnFailure(thread.call('readWallets', ...given)),
    readHoldings: (...given) => emptyOnFailure(thread.call('readHoldings', ...given)),
    readImages: (...given) => emptyOnFailure(thread.call('readImages', ...given)),
    audit: (question, signal) => thread.call('audit', question, signal),
    endpoints: () => tallies,
    close: thread.close,
  }
}

/** Treats a failing worker like nodes that do not answer: nothing is known. */
async function emptyOnFailure<key, value>(
  asked: Promise<ReadonlyMap<key, value>>,
): Promise<ReadonlyMap<key, value>> {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return new Map()
  }
}

function openNodeWorker(data: NodeThreadData): Worker {
  return new Worker(new URL('./nodeThread.js', import.meta.url), {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb },
  })
}
