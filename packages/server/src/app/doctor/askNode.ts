import { type AnswerLimits, answerLimitOf, blockBytesMax } from '../../chain/rpc/answerLimit.ts'
import { createHttpPost } from '../../chain/rpc/httpPost.ts'
import type { RpcCall } from '../../chain/rpc/rpcCall.ts'
import { ProbeRefusedError } from '../errors.ts'

/** One node, asked plainly: what it refuses is what is wanted to know, so nothing is tried again or elsewhere. */
export type AskedNode = {
  /** The answer. Rejects with what the node said instead, or why nothing came. */
  ask(method: string, params?: readonly unknown[]): Promise<unknown>
  /** Does it answer these calls in one request? */
  takesBatches(methods: readonly string[]): Promise<boolean>
  close(): void
}

export function askNode(url: URL, timeoutMs: number, limits: AnswerLimits): AskedNode {
  const http = createHttpPost({ url, name: url.host, timeoutMs })

  async function post(calls: readonly RpcCall[], isBatch: boolean): Promise<unknown> {
    const { method } = calls[0]!
    const bodies = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
    const body = JSON.stringify(isBatch ? bodies : bodies[0])
    const { bytesMax } = answerLimitOf(limits, calls, blockBytesMax)
    const { text, status } = await http.post(body, { method, bytesMax }, undefined)
    try {
      return JSON.parse(text)
    } catch {
      throw new ProbeRefusedError({ method, reason: `HTTP status ${status}, and no JSON` })
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
      throw new ProbeRefusedError({ method, reason: `${message ?? ''} (${code ?? 'no code'})` })
    },
    async takesBatches(methods) {
      const calls = methods.map((method) => ({ method, params: [] }))
      const answers = await post(calls, true).catch(() => null)
      return Array.isArray(answers) && answers.length === calls.length
    },
    close: () => http.close(),
  }
}
