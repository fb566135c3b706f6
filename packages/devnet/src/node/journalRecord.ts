/** A transaction from a wallet the node signs for; fees are always the same. */
export type Transaction = {
  from: string
  /** Undefined creates a contract. */
  to?: string | undefined
  data: string
  value: bigint
  gas: number
}

export type JournalRecord =
  /** First line: all that genesis depends on. */
  | { type: 'genesis'; format: number; seed: string; genesisS: number }
  | { type: 'transaction'; transaction: Transaction }
  | { type: 'mine'; timestampS: number }
  /** Start of the hash of the block just mined. */
  | { type: 'hash'; hash: string }
  /** Any other request that changes the chain, from a client of the RPC. */
  | { type: 'request'; method: string; params: readonly unknown[] }
  /** The contracts are all there; what they are called. */
  | { type: 'deployment'; deployment: unknown }

export const journalFormat = 2

/** One line without its end. Transactions, the bulk of the file, have a short form. */
export function encodeRecord(record: JournalRecord): string {
  switch (record.type) {
    case 'transaction': {
      const { from, to, data, value, gas } = record.transaction
      const fields = [from.slice(2), to?.slice(2) ?? '', value.toString(16), gas, pack(data)]
      return `t,${fields.join(',')}`
    }
    case 'mine':
      return `b,${record.timestampS}`
    case 'hash':
      return `h,${record.hash}`
    default:
      return JSON.stringify(record)
  }
}

/** Undefined when the line is none of ours. */
export function decodeRecord(line: string): JournalRecord | undefined {
  if (line.startsWith('{')) {
    try {
      return JSON.parse(line) as JournalRecord
    } catch {
      return undefined
    }
  }
  const hash = /^h,(0x[0-9a-f]+)$/.exec(line)
  if (hash) return { type: 'hash', hash: hash[1]! }
  const mine = /^b,(\d+)$/.exec(line)
  if (mine) return { type: 'mine', timestampS: Number(mine[1]) }
  const sent = /^t,([0-9a-f]{40}),([0-9a-f]{40})?,([0-9a-f]+),(\d+),([0-9a-f[\]g-z]*)$/.exec(line)
  if (!sent) return undefined
  const [, from, to, value, gas, data] = sent
  return {
    type: 'transaction',
    transaction: {
      from: `0x${from}`,
      to: to === undefined ? undefined : `0x${to}`,
      value: BigInt(`0x${value}`),
      gas: Number(gas),
      data: unpack(data!),
    },
  }
}

// Call data is mostly padding: runs of zeros become their length.
function pack(hex: string): string {
  return hex.slice(2).replaceAll(/0{5,}/g, (run) => `[${run.length.toString(36)}]`)
}

function unpack(packed: string): string {
  const hex = packed.replaceAll(/\[([0-9a-z]+)\]/g, (_, length: string) =>
    '0'.repeat(Number.parseInt(length, 36)),
  )
  return `0x${hex}`
}
