import { type Power, selectorSets } from '../signatures/selectorSets.ts'
import { opcode } from './instructions.ts'
import { type ContractCode, callsOut } from './readContract.ts'
import { anySlot, type FunctionTrace } from './traceFunction.ts'

const selector = {
  transfer: '0xa9059cbb',
  transferFrom: '0x23b872dd',
  balanceOf: '0x70a08231',
  totalSupply: '0x18160ddd',
  allowance: '0xdd62ed3e',
} as const
const ownerGetters = ['0x8da5cb5b', '0x893d20e8', '0xb2bdfa7b']

const harmless: readonly Power[] = ['standard', 'burn', 'owner']
const powers = Object.keys(selectorSets) as Power[]

/** Where a token keeps its state and which functions write there, read from its code. */
type StorageFacts = {
  /** True if every part of the code that moves tokens was walked to its end. */
  isReadable: boolean
  balances: ReadonlySet<string>
  allowances: ReadonlySet<string>
  supply: ReadonlySet<string>
  ownerSlots: ReadonlySet<string>
  /** Single values that a transfer reads. */
  scalars: ReadonlySet<string>
  /** Lists by account that a transfer reads, except balances and allowances. */
  lists: ReadonlySet<string>
  isWrittenByUnnamed(keys: ReadonlySet<string>): boolean
  /** False if a transfer reads no other single value; null if it reads one of unknown purpose. */
  readsOnly(keys: ReadonlySet<string>): false | null
  isTimeless: false | null
  keepsOwner: false | null
  hasHiddenOwner: false | null
  callsOutside: boolean | null
  seesContracts: boolean | null
}

export function storageFacts(code: ContractCode): StorageFacts {
  const traceOf = (name: string) => code.functions.get(name)
  const moves = [traceOf(selector.transfer), traceOf(selector.transferFrom)].filter(isTrace)
  const readsOf = (name: string) => traceOf(name)?.reads ?? new Set<string>()
  const balances = readsOf(selector.balanceOf)
  const isWalked = moves.length === 2 && moves.every(({ isComplete }) => isComplete)
  const isReadable = code.isUnderstood && isWalked && balances.size > 0
  const supply = readsOf(selector.totalSupply)
  const allowances = readsOf(selector.allowance)
  const ownerSlots = new Set(ownerGetters.flatMap((name) => [...readsOf(name)]))
  const read = union(...moves.map(({ reads }) => reads))
  const other = new Set([...read].filter((key) => !balances.has(key) && !allowances.has(key)))
  const scalars = new Set([...other].filter(isScalar))
  const lists = new Set([...other].filter((key) => !isScalar(key)))
  const unnamed = unnamedFunctions(code)
  const isWrittenByUnnamed = (keys: ReadonlySet<string>) =>
    unnamed.some((trace) => mayWrite(trace, keys))
  const usesTime = moves.some(
    ({ opcodes }) => opcodes.has(opcode.timestamp) || opcodes.has(opcode.number),
  )
  return {
    isReadable,
    balances,
    allowances,
    supply,
    ownerSlots,
    scalars,
    lists,
    isWrittenByUnnamed,
    readsOnly: (keys) =>
      isReadable && !other.has(anySlot) && [...scalars].every((key) => keys.has(key))
        ? false
        : null,
    isTimeless: isReadable && !usesTime ? false : null,
    keepsOwner: isReadable && !isWrittenByUnnamed(ownerSlots) ? false : null,
    hasHiddenOwner:
      isReadable &&
      obeysOwnerOnly(code, { ownerSlots, supply, own: accountLists(balances, allowances) })
        ? false
        : null,
    callsOutside: moves.some(callsOut) ? true : isReadable ? false : null,
    // A contract called during a transfer may look for other contracts, too.
    seesContracts: seesContracts(moves) ? true : isReadable && !moves.some(callsOut) ? false : null,
  }
}

const contractOpcodes = [opcode.origin, opcode.extCodeSize, opcode.extCodeHash] as const

function seesContracts(traces: readonly FunctionTrace[]): boolean {
  return traces.some(({ opcodes }) => contractOpcodes.some((op) => opcodes.has(op)))
}

function isScalar(key: string): boolean {
  return key.startsWith('0x')
}

function isTrace(trace: FunctionTrace | undefined): trace is FunctionTrace {
  return trace !== undefined
}

/** Functions of unknown name, and the fallback. */
function unnamedFunctions(code: ContractCode): FunctionTrace[] {
  const unnamed = [...code.functions]
    .filter(([name]) => !powers.some((power) => selectorSets[power].has(name)))
    .map(([, trace]) => trace)
  return [...unnamed, code.fallback]
}

function changes(trace: FunctionTrace): boolean {
  const { opcodes, writes, isComplete } = trace
  return !isComplete || writes.size > 0 || runsOtherCode(opcodes)
}

export function runsOtherCode(opcodes: ReadonlySet<number>): boolean {
  return opcodes.has(opcode.delegateCall) || opcodes.has(opcode.callCode)
}

function mayWrite(trace: FunctionTrace, keys: ReadonlySet<string>): boolean {
  // No transfer reads these keys, so writing them has no effect.
  if (keys.size === 0) return false
  const { writes, opcodes, isComplete } = trace
  if (!isComplete || writes.has(anySlot) || runsOtherCode(opcodes)) return true
  if (keys.has(anySlot) && writes.size > 0) return true
  return [...writes].some((key) => keys.has(key) || isHashed(key))
}

// Compilers number slots from zero; the longest list of state variables is far shorter than this.
const slotDigitsMax = 18

/** A slot that is a hash constant in the code may be an entry of any list. */
function isHashed(key: string): boolean {
  return isScalar(key) && key.length > slotDigitsMax
}

type Obeyed = {
  ownerSlots: ReadonlySet<string>
  supply: ReadonlySet<string>
  /** Lists that each account reads its own entry of. */
  own: ReadonlySet<string>
}

/**
 * True if every function that gives power reads, beside lists and the supply, only the owner, and
 * no list decides.
 */
function obeysOwnerOnly(code: ContractCode, { ownerSlots, supply, own }: Obeyed): boolean {
  const mighty = [...code.functions]
    .filter(([name]) => !isHarmless(name))
    .map(([, trace]) => trace)
    .concat(code.fallback)
    .filter(changes)
  if (mighty.length === 0) return true
  // An owner written into the code leaves no trace in storage, and a second one would not either.
  const hasOwner = ownerGetters.some((name) => (code.functions.get(name)?.reads.size ?? 0) > 0)
  if (!hasOwner) return false
  const isAllowed = (key: string) =>
    isScalar(key) ? ownerSlots.has(key) || supply.has(key) : key !== anySlot
  return mighty.every(
    ({ isComplete, reads, callerChecks, callerLists }) =>
      isComplete &&
      [...reads].every(isAllowed) &&
      [...callerChecks].every((check) => ownerSlots.has(check.split(' ')[0]!)) &&
      [...callerLists].every((list) => own.has(list)),
  )
}

/** Allowances are a list of lists; an account's own is an entry of the outer one. */
export function accountLists(
  balances: ReadonlySet<string>,
  allowances: ReadonlySet<string>,
): ReadonlySet<string> {
  const outer = [...allowances].flatMap((key) => /^map\((map\(.*\))\)$/.exec(key)?.[1] ?? [])
  return new Set([...balances, ...allowances, ...outer])
}

export function isHarmless(name: string): boolean {
  return harmless.some((power) => selectorSets[power].has(name))
}

/** True if the name of the function shows that it gives power. */
export function isNamedPower(name: string): boolean {
  return !isHarmless(name) && powers.some((power) => selectorSets[power].has(name))
}

export function union(...sets: readonly ReadonlySet<string>[]): Set<string> {
  return new Set(sets.flatMap((set) => [...set]))
}
