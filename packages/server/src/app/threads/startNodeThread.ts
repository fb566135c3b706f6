import { strict as assert } from 'node:assert'
import { Worker } from 'node:worker_threads'
import type { AuditResult } from '../../audit/auditFinding.ts'
import type { ConnectedNodes, EndpointTally } from '../../kinds/intake.ts'
import { AppError } from '../../lib/errors.ts'
import { type Logger, logTermsOf } from '../../lib/logger.ts'
import { RiskUnavailableError } from '../../risk/errors.ts'
import type { RiskChecker } from '../../risk/riskChecker.ts'
import type { AuditQuestion } from '../audit/threadAudits.ts'
import { ThreadCallError } from '../errors.ts'
import type { NodeAnswer, NodeQuestion, NodeThreadData, NodeThreadMessage } from './nodeMessage.ts'
import { createThreadCalls } from './threadCalls.ts'

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
  const calls = createThreadCalls<NodeQuestion, NodeAnswer>({
    name: `nodes of ${data.setup.profile.name}`,
    start() {
      const worker = openWorker({ ...data, tallies, log: logTermsOf(logger) })
      worker.on('message', (message: NodeThreadMessage) => {
        if (message.type === 'endpoints') tallies = message.endpoints
      })
      return worker
    },
    logger,
  })

  /** Null: as when no node answers, nothing is known. */
  async function askFacts(question: NodeQuestion, signal: AbortSignal): Promise<NodeAnswer | null> {
    try {
      return await calls.ask(question, signal)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return null
    }
  }

  return {
    checker: {
      async check(subject, signal) {
        try {
          const answer = await calls.ask({ type: 'contract', subject }, signal)
          assert(answer.type === 'contract')
          return answer.findings
        } catch (cause) {
          if (!(cause instanceof ThreadCallError) || signal.aborted) throw cause
          const { address: token } = subject
          throw new RiskUnavailableError({ token, reason: cause.reason, cause })
        }
      },
    },
    async readWallets(addresses, signal) {
      const answer = await askFacts({ type: 'wallets', addresses }, signal)
      return answer?.type === 'wallets' ? answer.wallets : new Map()
    },
    async readHoldings(query, signal) {
      const answer = await askFacts({ type: 'holdings', ...query }, signal)
      return answer?.type === 'holdings' ? answer.holdings : new Map()
    },
    async readImages(tokens, signal) {
      const answer = await askFacts({ type: 'images', tokens }, signal)
      return answer?.type === 'images' ? answer.images : new Map()
    },
    async audit(question, signal) {
      const answer = await calls.ask({ type: 'audit', ...question }, signal)
      assert(answer.type === 'audit')
      return answer.result
    },
    endpoints: () => tallies,
    close: calls.close,
  }
}

function openNodeWorker(data: NodeThreadData): Worker {
  return new Worker(new URL('./nodeThread.js', import.meta.url), {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb },
  })
}
