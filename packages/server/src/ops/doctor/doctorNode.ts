import { createHttpPost } from '../../chain/rpc/httpPost.ts'
import {
  type AnswerLimits,
  answerLimitOf,
  blockBytesMax,
  type RpcCall,
} from '../../chain/rpc/rpcCall.ts'
import { createSecretRedactor, type RedactSecrets, type Secrets } from '../../lib/redactSecrets.ts'
import { NodeRefusedError } from '../errors.ts'

/**
 * One node queried directly, without retries or failover: the doctor wants to see what the node
 * refuses.
 */
export type DoctorNode = {
  /** Returns the answer. Rejects with the node's error, or with the reason why no answer came. */
  ask(method: string, params?: readonly unknown[]): Promise<unknown>
  /** Returns true if the node answers these calls in one batch request. */
  acceptsBatches(methods: readonly string[]): Promise<boolean>
  /** Removes secrets from text of the node's answers before it is shown. */
  hide: RedactSecrets
  close(): void
}

type AskOptions = {
  timeoutMs: number
  limits: AnswerLimits
  /** Secrets to hide in addition to those in the URL. @default none */
  secrets?: Secrets | undefined
}

export function openDoctorNode(url: URL, options: AskOptions): DoctorNode {
  const { timeoutMs, limits, secrets = { urls: [] } } = options
  const hide = createSecretRedactor({ ...secrets, urls: [url.href, ...secrets.urls] })
  const source = { index: 0, name: url.host, hide }
  const http = createHttpPost({ url, source, timeoutMs })

  async function post(calls: readonly RpcCall[], isBatch: boolean): Promise<unknown> {
    const { method } = calls[0]!
    const bodies = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
    const body = JSON.stringify(isBatch ? bodies : bodies[0])
    const { bytesMax } = answerLimitOf(limits, calls, blockBytesMax)
    const { text, status } = await http.post(body, { method, bytesMax }, undefined)
    try {
      return JSON.parse(text)
    } catch {
      throw new NodeRefusedError({ method, reason: `HTTP status ${status} without JSON` })
    }
  }

  return {
    async ask(method, params = []) {
      const answer = ((await post([{ method, params }], false)) ?? {}) as {
        result?: unknown
        error?: { code?: number; message?: string } | null
      }
      if (answer.error === undefined || answer.error === null) return answer.result ?? null
      const { code, message } = answer.error
      throw new NodeRefusedError({
        method,
        reason: hide(`${message ?? ''} (${code ?? 'no code'})`),
      })
    },
    async acceptsBatches(methods) {
      const calls = methods.map((method) => ({ method, params: [] }))
      const answers = await post(calls, true).catch(() => null)
      return Array.isArray(answers) && answers.length === calls.length
    },
    hide,
    close: () => http.close(),
  }
}
