import { DevnetError } from '../errors.ts'
import { readHead } from './head.ts'
import type { Journal } from './journal.ts'
import type { JournalRecord, Transaction } from './journalRecord.ts'
import type { Provider, Request } from './provider.ts'

/** The one way in for whatever changes the chain: one at a time, journalled before it is done. */
export type Lane = {
  /** For clients: reads go straight through, changes wait their turn. */
  request: Request
  send(transaction: Transaction): Promise<string>
  /** Mines all that is pending, at this time or that of a newer parent; resolves with the hash. */
  mine(timestampS: number): Promise<string>
  /** Carries out records of an earlier run, without writing them again. */
  replay(record: JournalRecord): Promise<void>
  /** Nothing changes the chain meanwhile. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
}

export type LaneOptions = {
  provider: Provider
  journal?: Journal | undefined
  /** Time for a block whose client named none. */
  nowS: () => number
}

// Far above any base fee here; what is paid is the base fee and the tip.
const feesPerGas = { maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x3b9aca00' }

const changes = /^(evm_|hardhat_(?!metadata|get)|eth_send)/

// Their blocks would carry the wall clock's time, which no replay could repeat; a reset would also
// silence every subscription.
const refused = new Set(['evm_setAutomine', 'evm_setIntervalMining', 'hardhat_reset'])

const hashLengthKept = 18

export function createLane({ provider, journal, nowS }: LaneOptions): Lane {
  let tail: Promise<unknown> = Promise.resolve()

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = tail.then(work)
    tail = result.catch(() => {})
    return result
  }

  async function nextTimestampS(): Promise<number> {
    return Math.max(nowS(), (await readHead(provider.request)).timestampS + 1)
  }

  async function minedHash(): Promise<string> {
    const { hash } = await readHead(provider.request)
    journal?.append([{ type: 'hash', hash: hash.slice(0, hashLengthKept) }])
    return hash
  }

  async function change(method: string, given: readonly unknown[]): Promise<unknown> {
    let params = given
    if (journal && refused.has(method))
      throw new DevnetError(
        'DEVNET_METHOD_REFUSED',
        `${method} is off on a chain that is journalled.`,
      )
    // A replay from genesis knows the snapshot and would go back to it.
    if (method === 'evm_revert' && provider.isForgotten?.(params[0])) return false
    if (method === 'evm_mine' && params[0] === undefined) params = [await nextTimestampS()]
    if (method === 'hardhat_mine' && journal) {
      const timestampS = await nextTimestampS()
      const fix = { method: 'evm_setNextBlockTimestamp', params: [timestampS] }
      journal.append([{ type: 'request', ...fix }])
      await provider.request(fix.method, fix.params)
    }
    journal?.append([{ type: 'request', method, params }])
    return await provider.request(method, params)
  }

  return {
    request: (method, params = []) =>
      changes.test(method)
        ? inTurn(() => change(method, params))
        : provider.request(method, params),
    send: (transaction) =>
      inTurn(async () => {
        journal?.append([{ type: 'transaction', transaction }])
        return await sendTransaction(provider, transaction)
      }),
    mine: (wantedS) =>
      inTurn(async () => {
        // A client may have mined ahead of the clock.
        const timestampS = Math.max(wantedS, (await readHead(provider.request)).timestampS)
        journal?.append([{ type: 'mine', timestampS }])
        await provider.request('evm_mine', [timestampS])
        return await minedHash()
      }),
    replay: (record) => inTurn(() => replayRecord(provider, record)),
    inTurn,
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

// What the node refused then it refuses again, and it changed nothing; hashes are checked apart.
export async function replayRecord(provider: Provider, record: JournalRecord): Promise<void> {
  if (record.type === 'transaction')
    await sendTransaction(provider, record.transaction).catch(() => {})
  else if (record.type === 'mine') await provider.request('evm_mine', [record.timestampS])
  else if (record.type === 'request')
    await provider.request(record.method, record.params).catch(() => {})
}
