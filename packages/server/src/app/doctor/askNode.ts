import { createHttpPost } from '../../chain/rpc/httpPost.ts'
import { ProbeRefusedError } from '../errors.ts'

/** One node, asked plainly: what it refuses is what is wanted to know, so nothing is tried again or elsewhere. */
export type AskedNode = {
  /** The answer. Rejects with what the node said instead, or why nothing came. */
  ask(method: string, params?: readonly unknown[]): Promise<unknown>
  /** Does it answer these calls in one request? */
  takesBatches(methods: readonly string[]): Promise<boolean>
  close(): void
}

const responseBytesMax = 64_000_000

export function askNode(url: URL, timeoutMs: number): AskedNode {
  const http = createHttpPost({ url, name: url.host, timeoutMs, responseBytesMax })
  const callOf = (method: string, params: readonly unknown[], id: number) => {
    return { jsonrpc: '2.0', id, method, params }
  }

  async function post(body: unknown, method: string): Promise<unknown> {
    const { text, status } = await http.post(JSON.stringify(body), method, undefined)
    try {
      return JSON.parse(text)
    } catch {
      throw new ProbeRefusedError({ method, reason: `HTTP status ${status}, and no JSON` })
    }
  }

  return {
    async ask(method, params = []) {
      const answer = ((await post(callOf(method, params, 1), method)) ?? {}) as {
        result?: unknown
        error?: { code?: number; message?: string } | null
      }
      if (answer.error === undefined || answer.error === null) return answer.result ?? null
      const { code, message } = answer.error
      throw new ProbeRefusedError({ method, reason: `${message ?? ''} (${code ?? 'no code'})` })
    },
    async takesBatches(methods) {
      const calls = methods.map((method, id) => callOf(method, [], id))
      const answers = await post(calls, 'batch').catch(() => null)
      return Array.isArray(answers) && answers.length === calls.length
    },
    close: () => http.close(),
  }
}
