import { Worker } from 'node:worker_threads'
import type { AuditResult } from '../../audit/auditFinding.ts'
import type { ConnectedNodes, EndpointTally } from '../../kinds/intake.ts'
import { AppError } from '../../lib/errors.ts'
import { type Logger, logTermsOf } from '../../lib/logger.ts'
import { RiskUnavailableError } from '../../risk/errors.ts'
import type { RiskChecker } from '../../risk/riskChecker.ts'
import type { AuditQuestion } from '../audit/threadAudits.ts'
import { ThreadCallError } from '../errors.ts'
import type { NodeHandlers, NodeThreadData } from './nodeThread.ts'
import { createThread } from './threadCalls.ts'

export type NodeThreadOptions = Omit<NodeThreadData, 'tallies' | 'log'> & {
  logger: Logger
  /** @default a thread of this program */
  openWorker?: ((data: NodeThreadData) => Worker) | undefined
}

/** Whether a kind of chain has a checker is known in the thread. */
export type AskedNodes = Required<ConnectedNodes> & {
  checker: RiskChecker
  /** Compares stored blocks with the nodes. Rejects with an AppError when they do not answer. */
  audit(question: AuditQuestion, signal: AbortSignal): Promise<AuditResult>
}

// A contract takes a few megabytes, the logs of a pair's shares tens, the blocks of an audit some hundreds on Solana.
const maxOldGenerationSizeMb = 1_024

/**
 * The nodes of a chain, asked in a thread of their own, which the first question starts: one set of connections for all callers, so
 * that they share the rates and the failover of the endpoints.
 */
export function startNodeThread(options: NodeThreadOptions): AskedNodes {
  const { logger, openWorker = openNodeWorker, ...data } = options
  let tallies: readonly EndpointTally[] = []
  const thread = createThread<NodeHandlers, readonly EndpointTally[]>({
    name: `nodes of ${data.setup.profile.name}`,
    start: () => openWorker({ ...data, tallies, log: logTermsOf(logger) }),
    onReport(newest) {
      tallies = newest
    },
    logger,
  })

  return {
    checker: {
      async check(subject, signal) {
        try {
          return await thread.ask('check', subject, signal)
        } catch (cause) {
          if (!(cause instanceof ThreadCallError) || signal.aborted) throw cause
          const { address: token } = subject
          throw new RiskUnavailableError({ token, reason: cause.reason, cause })
        }
      },
    },
    readWallets: (...given) => orNothing(thread.ask('readWallets', ...given)),
    readHoldings: (...given) => orNothing(thread.ask('readHoldings', ...given)),
    readImages: (...given) => orNothing(thread.ask('readImages', ...given)),
    audit: (question, signal) => thread.ask('audit', question, signal),
    endpoints: () => tallies,
    close: thread.close,
  }
}

/** A thread that fails knows nothing, as when no node answers. */
async function orNothing<key, value>(
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
