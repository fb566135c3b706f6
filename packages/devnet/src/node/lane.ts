import { readHead } from './head.ts'
import type { Provider, Request } from './provider.ts'

/** A transaction from a wallet that the node signs for; fees are always the same. */
export type Transaction = {
  from: string
  /** Undefined creates a contract. */
  to?: string | undefined
  data: string
  value: bigint
  gas: number
}

/** The only way to change the chain: one change at a time. */
export type Lane = {
  /** For clients: reads run at once, changes are queued. */
  request: Request
  send(transaction: Transaction): Promise<string>
  /**
   * Mines all pending transactions, at this time or that of a newer parent; resolves with the hash.
   */
  mine(timestampS: number): Promise<string>
}

export type LaneOptions = {
  provider: Provider
  /** Time of a block mined without one. */
  nowS: () => number
}

// Far above any base fee here; the actual cost is the base fee plus the tip.
const feesPerGas = { maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x3b9aca00' }

const changes = /^(evm_|hardhat_(?!metadata|get)|eth_send)/

export function createLane({ provider, nowS }: LaneOptions): Lane {
  let tail: Promise<unknown> = Promise.resolve()

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = tail.then(work)
    tail = result.catch(() => {})
    return result
  }

  async function nextTimestampS(): Promise<number> {
    return Math.max(nowS(), (await readHead(provider.request)).timestampS + 1)
  }

  // The node's clock counts from genesis, and mined history is ahead of it.
  async function change(method: string, params: readonly unknown[]): Promise<unknown> {
    if (method === 'evm_mine' && params[0] === undefined)
      return await provider.request(method, [await nextTimestampS()])
    if (method === 'hardhat_mine')
      await provider.request('evm_setNextBlockTimestamp', [await nextTimestampS()])
    return await provider.request(method, params)
  }

  return {
    request: (method, params = []) =>
      changes.test(method)
        ? inTurn(() => change(method, params))
        : provider.request(method, params),
    send: (transaction) => inTurn(() => sendTransaction(provider, transaction)),
    mine: (wantedS) =>
      inTurn(async () => {
        // A client may have mined ahead of the clock.
        const timestampS = Math.max(wantedS, (await readHead(provider.request)).timestampS)
        await provider.request('evm_mine', [timestampS])
        return (await readHead(provider.request)).hash
      }),
  }
}

async function sendTransaction(provider: Provider, transaction: Transaction): Promise<string> {
  const { from, to, data, value, gas } = transaction
  const hash = await provider.request('eth_sendTransaction', [
    {
      from,
      ...(to === undefined ? {} : { to }),
      data,
      value: `0x${value.toString(16)}`,
      gas: `0x${gas.toString(16)}`,
      ...feesPerGas,
    },
  ])
  return hash as string
}
