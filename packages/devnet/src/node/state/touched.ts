/** An account as it is after some block; numbers are hex, as RPC answers have them. */
export type AccountState = {
  address: string
  balance: string
  nonce: string
  /** `0x` where there is none. */
  code: string
  /** Slots that are not zero, each with its value. */
  storage: readonly (readonly [slot: string, value: string])[]
}

/** What the EVM reports of a transaction, in order: a call begins, instructions, a call ends. */
export type TraceItem =
  /** A creation has no `to`; `to` is whose storage is written, also where the code is another's. */
  | { caller: Uint8Array; to?: Uint8Array }
  /** The top of the stack alone. */
  | { pc: bigint; opcode: string; stack: readonly bigint[] }
  | { executionResult: { contractAddress?: Uint8Array } }

/** Of one transaction. */
export type Trace = { trace: readonly TraceItem[] }

/** Every account and every storage slot that may have been written: nothing else tells what a chain's state consists of. */
export type Touched = {
  addTrace(items: readonly TraceItem[]): void
  /** Of a request that changes the state by itself, without a transaction. */
  addRequest(method: string, params: readonly unknown[]): void
  addAccount(address: string): void
  /** Addresses with their slots. */
  places(): Iterable<readonly [string, ReadonlySet<string>]>
}

/** Begins with what a state had; one too many does no harm. */
export function createTouched(accounts: readonly AccountState[] = []): Touched {
  const places = new Map<string, Set<string>>()

  function slotsOf(address: string): Set<string> {
    const known = places.get(address)
    if (known) return known
    const slots = new Set<string>()
    places.set(address, slots)
    return slots
  }

  for (const { address, storage } of accounts) {
    const slots = slotsOf(address)
    for (const [slot] of storage) slots.add(slot)
  }

  function addTrace(items: readonly TraceItem[]): void {
    // Of a creation the address is told when it ends.
    const calls: { isCreation: boolean; slots: Set<string> }[] = []
    for (const item of items) {
      if ('pc' in item) {
        if (item.opcode === 'SSTORE') calls.at(-1)?.slots.add(toHex(item.stack.at(-1)!))
        else if (item.opcode === 'SELFDESTRUCT') slotsOf(addressOf(item.stack.at(-1)!))
      } else if ('executionResult' in item) {
        const call = calls.pop()
        const { contractAddress } = item.executionResult
        if (!call?.isCreation || !contractAddress) continue
        const slots = slotsOf(bytesToHex(contractAddress))
        for (const slot of call.slots) slots.add(slot)
      } else {
        slotsOf(bytesToHex(item.caller))
        const slots = item.to ? slotsOf(bytesToHex(item.to)) : new Set<string>()
        calls.push({ isCreation: !item.to, slots })
      }
    }
  }

  return {
    addTrace,
    addRequest(method, [address, slot]) {
      if (!/^hardhat_set(Balance|Nonce|Code|StorageAt|Coinbase)$/.test(method)) return
      const slots = slotsOf(`${address}`.toLowerCase())
      if (method === 'hardhat_setStorageAt') slots.add(toHex(BigInt(slot as string)))
    },
    addAccount: (address) => void slotsOf(address.toLowerCase()),
    places: () => places,
  }
}

function toHex(value: bigint): string {
  return `0x${value.toString(16)}`
}

function addressOf(word: bigint): string {
  return `0x${BigInt.asUintN(160, word).toString(16).padStart(40, '0')}`
}

function bytesToHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}
