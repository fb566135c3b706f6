// Asks a chain's nodes what callers want to know, and reads contracts: decoding big answers and walking code take time that the
// thread that serves does not have.
import { strict as assert } from 'node:assert'
import { parentPort, workerData } from 'node:worker_threads'
import type { EndpointRates } from '../../chain/rpc/rateLimit.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import { createLogger } from '../../lib/logger.ts'
import { nothingFound } from '../../risk/riskChecker.ts'
import type { ThreadAudits } from '../audit/threadAudits.ts'
import { factsOf } from '../errors.ts'
import type {
  NodeAnswer,
  NodeQuestion,
  NodeThreadData,
  NodeThreadMessage,
  NodeThreadOrder,
} from './nodeMessage.ts'

const endpointsEveryMs = 250

const { log, ...data } = workerData as NodeThreadData
const port = parentPort
assert(port !== null, 'this file runs in a thread')
const post = (message: NodeThreadMessage) => port.postMessage(message)
const logger = createLogger(log.level, log.look).child({ chain: data.setup.profile.name })
const rates: EndpointRates = new Map()
const nodes = await chainKindOf(data.setup).connectNodes({ ...data, rates, logger })
let audits: ThreadAudits | null = null
const running = new Map<number, AbortController>()

async function answerOf(question: NodeQuestion, signal: AbortSignal): Promise<NodeAnswer> {
  const { type } = question
  if (type === 'contract') {
    const findings = await nodes.checker?.check(question.subject, signal)
    return { type, findings: findings ?? nothingFound }
  }
  if (type === 'holdings') {
    const holdings = await nodes.readHoldings?.(question, signal)
    return { type, holdings: holdings ?? new Map() }
  }
  if (type === 'images') {
    const images = await nodes.readImages?.(question.tokens, signal)
    return { type, images: images ?? new Map() }
  }
  if (type === 'audit') {
    // The store and the decoders: loaded where samples are compared.
    const { createThreadAudits } = await import('../audit/threadAudits.ts')
    audits ??= createThreadAudits({ ...question, logger, rates })
    return { type, result: await audits.audit(question, signal) }
  }
  return { type, wallets: await nodes.readWallets(question.addresses, signal) }
}

async function answer(id: number, question: NodeQuestion): Promise<void> {
  const controller = new AbortController()
  running.set(id, controller)
  try {
    post({ type: 'answered', id, answer: await answerOf(question, controller.signal) })
  } catch (error) {
    post({ type: 'failed', id, error: factsOf(error) })
  } finally {
    running.delete(id)
  }
}

let lastEndpoints = ''

function showEndpoints(): void {
  const endpoints = nodes.endpoints()
  const text = JSON.stringify(endpoints)
  if (text === lastEndpoints) return
  lastEndpoints = text
  post({ type: 'endpoints', endpoints })
}

const timer = setInterval(showEndpoints, endpointsEveryMs)

port.on('message', (order: NodeThreadOrder) => {
  if (order.type === 'call') void answer(order.id, order.question)
  else if (order.type === 'abort') running.get(order.id)?.abort()
  else {
    for (const controller of running.values()) controller.abort()
    clearInterval(timer)
    void nodes.close()
    void audits?.close()
    port.close()
  }
})
