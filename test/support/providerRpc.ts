// A proxy in front of a real node that refuses what a public provider refuses, with the provider's
// error texts. Limits are smaller than theirs, as test chains are shorter; the numbers in the texts
// match.
import type { ServerResponse } from 'node:http'
import {
  forward,
  gatherReceipts,
  isStateGone,
  type RpcCall,
  type RpcFailure,
  type RpcReply,
  rangeBlocksOf,
  startRpcProxy,
} from './rpcProxy.ts'

/** An error with a provider's text; `status` is its HTTP status. */
export type Refusal = RpcFailure & { status?: number }

type AskedRange = { from: number; blocks: number }

export type Provider = {
  /** Maximum number of blocks in a request for logs. */
  logBlocks?: { max: number; refusal: (asked: AskedRange) => Refusal }
  /** Maximum number of logs in an answer. */
  logResults?: { max: number; refusal: (asked: AskedRange) => Refusal }
  /** Refuses requests for logs without a contract address. */
  noAddress?: Refusal
  /** Refuses the `first` calls of contracts, and then one in `every`. */
  calls?: { first?: number; every?: number; refusal: Refusal }
  /** Refuses one HTTP request in `every`. */
  requests?: { every: number; refusal: Refusal }
  batch?: { max: number; refusal: Refusal }
  /** Keeps the state of this many blocks behind the head. */
  state?: { blocksMax: number; refusal: Refusal }
  lacks?: Record<string, Refusal>
}

const hex = (number: number) => `0x${number.toString(16)}`
const rangeOf = (from: number, blocks: number) => `[${hex(from)}, ${hex(from + blocks - 1)}]`

const noReceipts: Refusal = {
  code: -32_601,
  message: 'the method eth_getBlockReceipts does not exist/is not available',
}
const noRoute: Refusal = {
  code: 12,
  status: 400,
  message:
    "Can't route your request to suitable provider, if you specified certain providers revise the list",
}

/** Serves blocks, receipts and state, but no logs. */
export const providerWithoutLogs: Provider = {
  logBlocks: { max: 0, refusal: () => ({ code: -32_005, message: 'limit exceeded' }) },
}

/** Each provider alone is enough to index from. */
export const providers = {
  alchemyFree: {
    logBlocks: {
      max: 10,
      refusal: ({ from }) => ({
        code: -32_600,
        status: 400,
        message: `Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: ${rangeOf(from, 10)}. Upgrade to PAYG for expanded block range.`,
      }),
    },
    requests: {
      every: 11,
      refusal: {
        code: 429,
        status: 429,
        message:
          'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message. If not, check out https://docs.alchemy.com/reference/throughput',
      },
    },
  },
  infura: {
    logBlocks: {
      max: 40,
      refusal: ({ blocks }) => ({
        code: -32_602,
        message: `range ${blocks - 1} exceeds limit of 40`,
      }),
    },
    logResults: {
      max: 300,
      refusal: ({ from, blocks }) => ({
        code: -32_005,
        message: `query returned more than 10000 results. Try with this block range ${rangeOf(from, Math.ceil(blocks / 3))}.`,
      }),
    },
    requests: {
      every: 13,
      refusal: {
        code: -32_005,
        status: 429,
        message: 'daily request count exceeded, request rate limited',
      },
    },
  },
  ankr: {
    logBlocks: {
      max: 20,
      refusal: () => ({ code: -32_000, message: 'maximum [from, to] blocks distance: 20' }),
    },
    lacks: { eth_getBlockReceipts: noReceipts },
  },
  drpc: {
    logBlocks: {
      max: 10,
      refusal: () => ({
        code: 35,
        status: 400,
        message: 'ranges over 10 blocks are not supported on free plan',
      }),
    },
    batch: {
      max: 3,
      refusal: {
        code: 31,
        status: 500,
        message:
          'Batch of more than 3 requests are not allowed on free tier, to use this feature register paid account at drpc.org',
      },
    },
    calls: { first: 12, every: 5, refusal: noRoute },
  },
  publicnode: {
    noAddress: {
      code: -32_701,
      message:
        'Please specify an address in your request or, to remove restrictions, order a dedicated full node here: https://www.allnodes.com/eth/host',
    },
  },
  nitro: {
    logResults: {
      max: 100,
      refusal: () => ({ code: -32_000, message: 'logs matched by query exceeds limit of 10000' }),
    },
  },
  quicknode: {
    logBlocks: {
      max: 5,
      refusal: () => ({
        code: -32_614,
        status: 413,
        message: 'eth_getLogs is limited to a 5 range',
      }),
    },
    requests: {
      every: 17,
      refusal: {
        code: -32_007,
        status: 429,
        message:
          '15/second request limit reached - reduce calls per second or upgrade your account at quicknode.com',
      },
    },
  },
  oneRpc: {
    logBlocks: {
      max: 8,
      refusal: () => ({
        code: -32_602,
        message: 'eth_getLogs is limited to 0 - 8 blocks range',
      }),
    },
    lacks: { eth_getBlockReceipts: noReceipts },
  },
  // Refusals with unknown texts, and a limit that differs from the one in the text.
  newPlan: {
    logBlocks: {
      max: 6,
      refusal: () => ({ code: -32_600, message: 'exceeds the range allowed for your plan' }),
    },
  },
  otherThanTold: {
    logBlocks: {
      max: 12,
      refusal: () => ({
        code: -32_000,
        message: 'eth_getLogs requests are limited to a maximum of 2000 blocks worth of logs',
      }),
    },
  },
  bytes: {
    logResults: {
      max: 120,
      refusal: () => ({
        code: -32_000,
        message: 'response size should not greater than 10000000 bytes',
      }),
    },
  },
  stateless: {
    calls: {
      first: 12,
      refusal: { code: 27, message: 'Unknown state. First available state is 1' },
    },
  },
} satisfies Record<string, Provider>

export type ProviderRpc = {
  url: string
  /** Texts of the refusals so far, with their counts. */
  refusals: Map<string, number>
  /** Replaces answers of calls by those of `distort`; null restores the node's answers. */
  falsify(distort: ((call: RpcCall) => unknown) | null): void
  close(): Promise<void>
}

export async function startProviderRpc(
  targetUrl: string,
  provider: Provider,
): Promise<ProviderRpc> {
  const refusals = new Map<string, number>()
  let distort: ((call: RpcCall) => unknown) | null = null
  let [requestCount, callCount] = [0, 0]

  async function refusalOf(call: RpcCall): Promise<Refusal | null> {
    const { logBlocks, noAddress, calls, state, lacks } = provider
    const refusal = lacks?.[call.method]
    if (refusal !== undefined) return refusal
    if (call.method === 'eth_getLogs') {
      const filter = call.params[0] as { address?: unknown; fromBlock?: string }
      if (noAddress !== undefined && filter.address === undefined) return noAddress
      const asked = { from: Number(filter.fromBlock), blocks: rangeBlocksOf(call) ?? 1 }
      if (logBlocks !== undefined && asked.blocks > logBlocks.max) return logBlocks.refusal(asked)
    }
    if (call.method === 'eth_call' && calls !== undefined) {
      const count = callCount++
      const { first = 0, every = Number.POSITIVE_INFINITY } = calls
      if (count < first || count % every === every - 1) return calls.refusal
    }
    if (state !== undefined && (await isStateGone(targetUrl, call, state.blocksMax)))
      return state.refusal
    return null
  }

  async function answer(call: RpcCall): Promise<RpcReply & { status?: number }> {
    const refused = (refusal: Refusal) => {
      const { status = 200, ...error } = refusal
      refusals.set(error.message, (refusals.get(error.message) ?? 0) + 1)
      return { jsonrpc: '2.0', id: call.id, error, status }
    }
    const refusal = await refusalOf(call)
    if (refusal !== null) return refused(refusal)
    const lied = distort?.(call)
    if (lied !== undefined) return { id: call.id, result: lied }
    const pass = call.method === 'eth_getBlockReceipts' ? gatherReceipts : forward
    const reply = await pass(targetUrl, call)
    const { logResults } = provider
    const blocks = rangeBlocksOf(call)
    if (logResults === undefined || blocks === null || blocks === 1) return reply
    if ((reply.result as unknown[]).length <= logResults.max) return reply
    const from = Number((call.params[0] as { fromBlock: string }).fromBlock)
    return refused(logResults.refusal({ from, blocks }))
  }

  async function respond(body: string, response: ServerResponse): Promise<void> {
    const json = JSON.parse(body) as RpcCall | RpcCall[]
    const send = ({ status = 200, ...reply }: RpcReply & { status?: number }) =>
      response.writeHead(status).end(JSON.stringify(reply))
    const { requests, batch } = provider
    const count = requestCount++
    const whole =
      requests !== undefined && count % requests.every === requests.every - 1
        ? requests.refusal
        : batch !== undefined && Array.isArray(json) && json.length > batch.max
          ? batch.refusal
          : null
    if (whole !== null) {
      const { status, ...error } = whole
      refusals.set(error.message, (refusals.get(error.message) ?? 0) + 1)
      send({ id: null, error, ...(status !== undefined && { status }) })
    } else if (Array.isArray(json)) {
      const replies = await Promise.all(json.map(answer))
      const bodies = replies.map(({ status: _, ...reply }) => reply)
      response.writeHead(200).end(JSON.stringify(bodies))
    } else send(await answer(json))
  }

  const server = await startRpcProxy(respond)
  return {
    url: server.url,
    refusals,
    falsify(next) {
      distort = next
    },
    close: server.close,
  }
}
