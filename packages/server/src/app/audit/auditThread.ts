// Compares samples of what is stored with the nodes: decoding blocks takes time that the thread that serves does not have.
import { strict as assert } from 'node:assert'
import { parentPort, workerData } from 'node:worker_threads'
import { auditChain } from '../../audit/auditChain.ts'
import type { AuditResult } from '../../audit/auditFinding.ts'
import { createLogger, type LogTerms } from '../../lib/logger.ts'
import type { StoreConnection } from '../../store/connection.ts'
import { createStore } from '../../store/openStore.ts'
import { factsOf } from '../errors.ts'
import type { ThreadCallAnswer, ThreadCallOrder } from '../threads/threadCalls.ts'
import type { AuditTerms } from './auditTerms.ts'

export type AuditThreadData = { connection: StoreConnection; log: LogTerms }

/** A range of blocks to compare, and some balances. */
export type AuditQuestion = AuditTerms & { chainId: number; from: number; to: number }

export type AuditThreadOrder = ThreadCallOrder<AuditQuestion>
export type AuditThreadMessage = ThreadCallAnswer<AuditResult>

const { connection, log } = workerData as AuditThreadData
const port = parentPort
assert(port !== null, 'this file runs in a thread')
const post = (message: AuditThreadMessage) => port.postMessage(message)
const logger = createLogger(log.level, log.look)
// One chain after another.
const store = createStore({ connection, logger, limits: { readConnectionsMax: 1 } })
const running = new Map<number, AbortController>()

async function answer(id: number, question: AuditQuestion): Promise<void> {
  const controller = new AbortController()
  running.set(id, controller)
  const { signal } = controller
  const { from, to } = question
  try {
    // Blocks in doubt are asked for again by the thread of their chain.
    const terms = { hasDoubts: false, rangeBlocks: to - from + 1 }
    const result = await auditChain({ ...question, ...terms, store, logger, signal })
    post({ type: 'answered', id, answer: result })
  } catch (error) {
    post({ type: 'failed', id, error: factsOf(error) })
  } finally {
    running.delete(id)
  }
}

port.on('message', (order: AuditThreadOrder) => {
  if (order.type === 'call') void answer(order.id, order.question)
  else if (order.type === 'abort') running.get(order.id)?.abort()
  else {
    for (const controller of running.values()) controller.abort()
    void store.close()
    port.close()
  }
})
