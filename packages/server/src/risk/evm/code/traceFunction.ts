import { createHash } from 'node:crypto'
import {
  callerMarker,
  evaluateBinary,
  evaluateUnary,
  hashedKey,
  readStoredWord,
  type SymbolicWord,
  slotName,
  storedWord,
} from './evaluateWord.ts'
import { arityOf, type Instruction, opcode, pushSize } from './instructions.ts'

/** A storage key that the walk could not compute. */
export const anySlot = '?'

/** Effects of a function, over all its paths that the walk told apart. */
export type FunctionTrace = {
  reads: ReadonlySet<string>
  writes: ReadonlySet<string>
  /**
   * Values that the caller is compared with: `slot shift` of storage, or `account` and an address
   * written into the code.
   */
  callerChecks: ReadonlySet<string>
  /** Lists in which the caller is looked up. */
  callerLists: ReadonlySet<string>
  opcodes: ReadonlySet<number>
  /** False if a jump could not be followed or the steps ran out, so there may be more. */
  isComplete: boolean
  /** True if the code compared its call data with this selector, so the function exists. */
  isEntered: boolean
  steps: number
}

export type TraceOptions = {
  stepsMax: number
  /** Visits of one place with different constants before the walk forgets them. */
  visitsMax: number
}

type Path = { at: number; stack: SymbolicWord[]; memory: Map<number, SymbolicWord> }

type Trace = {
  reads: Set<string>
  writes: Set<string>
  callerChecks: Set<string>
  callerLists: Set<string>
  opcodes: Set<number>
  isComplete: boolean
  isEntered: boolean
  steps: number
}

/** Code with its jump targets. */
export type Program = {
  instructions: readonly Instruction[]
  /** Program counter of each JUMPDEST to its position. */
  targets: ReadonlyMap<bigint, number>
}

export function toProgram(instructions: readonly Instruction[]): Program {
  const targets = new Map<bigint, number>()
  for (const [at, { pc, op }] of instructions.entries())
    if (op === opcode.jumpDest) targets.set(BigInt(pc), at)
  return { instructions, targets }
}

// Compilers stay far below this depth; deeper paths are not followed.
const stackMax = 200
// Known words of memory; hashes are made of the last two written.
const memoryWordsMax = 64
const endings: ReadonlySet<number> = new Set([
  opcode.stop,
  opcode.return,
  opcode.revert,
  opcode.invalid,
  opcode.selfDestruct,
])

/** Symbolic execution of one contract function that can be run in parts. */
type TraceWalk = {
  /** Walks on for about `steps` instructions; returns true once the walk is complete. */
  advance(steps: number): boolean
  result(): FunctionTrace
}

/**
 * Walks a function from its selector with constants only. Takes both branches of a condition that
 * is not constant.
 */
export function startTrace(
  program: Program,
  selector: string,
  { stepsMax, visitsMax }: TraceOptions,
): TraceWalk {
  const trace: Trace = {
    reads: new Set(),
    writes: new Set(),
    callerChecks: new Set(),
    callerLists: new Set(),
    opcodes: new Set(),
    isComplete: true,
    isEntered: false,
    steps: 0,
  }
  const input = BigInt(selector) << 224n
  const open: Path[] = [{ at: 0, stack: [], memory: new Map() }]
  const visits = new Map<number, number>()
  const seen = new Set<string>()

  /** Was this place walked before with the same known words? */
  function isKnown(path: Path): boolean {
    if (program.instructions[path.at]?.op !== opcode.jumpDest) return false
    const visit = (visits.get(path.at) ?? 0) + 1
    visits.set(path.at, visit)
    if (visit > visitsMax) forget(program, path)
    const key = shortened(`${path.at} ${path.stack.map(keyText).join(' ')}`)
    if (seen.has(key)) return true
    seen.add(key)
    return false
  }

  return {
    advance(steps) {
      const end = trace.steps + steps
      while (open.length > 0 && trace.steps < end) {
        if (trace.steps > stepsMax) {
          trace.isComplete = false
          return true
        }
        const path = open.pop()!
        if (isKnown(path)) continue
        for (const next of walk(program, path, input, trace)) open.push(next)
      }
      return open.length === 0
    },
    result: () => trace,
  }
}

export function traceFunction(
  program: Program,
  selector: string,
  options: TraceOptions,
): FunctionTrace {
  const walking = startTrace(program, selector, options)
  while (!walking.advance(options.stepsMax));
  return walking.result()
}

// Stacks of common contracts are shorter. Deep ones, which code could have at every place, are
// remembered by their hash.
const keyCharsMax = 1_024

function shortened(key: string): string {
  return key.length <= keyCharsMax ? key : createHash('sha256').update(key).digest('base64')
}

/** The caller and the content of a slot never decide where a path goes. */
function keyText(word: SymbolicWord): string {
  return word === null || word === callerMarker || readStoredWord(word) ? '_' : slotName(word)
}

/** Keeps only possible jump targets, so that a loop with a counter ends. */
function forget(program: Program, path: Path): void {
  path.stack = path.stack.map((word) =>
    typeof word === 'bigint' && !program.targets.has(word) ? null : word,
  )
  path.memory.clear()
}

/** Walks to the next jump target and returns the paths that continue from there. */
function walk(program: Program, path: Path, input: bigint, trace: Trace): Path[] {
  const { instructions } = program
  const { stack, memory } = path
  for (let at = path.at; at < instructions.length; at += 1) {
    const { op, value } = instructions[at]!
    if (op === opcode.jumpDest && at !== path.at) return [{ at, stack, memory }]
    trace.steps += 1
    if (pushSize(op) >= 0) stack.push(value)
    else if (op >= opcode.dup1 && op <= opcode.dup16) {
      const from = stack.length - 1 - (op - opcode.dup1)
      if (from < 0) return []
      stack.push(stack[from]!)
    } else if (op >= opcode.swap1 && op <= opcode.swap16) {
      const other = stack.length - 2 - (op - opcode.swap1)
      if (other < 0) return []
      const top = stack.length - 1
      const held = stack[top]!
      stack[top] = stack[other]!
      stack[other] = held
    } else {
      const arity = arityOf[op]
      if (arity === undefined || stack.length < arity.takes) return []
      trace.opcodes.add(op)
      if (endings.has(op)) return []
      const args = stack.splice(stack.length - arity.takes).reverse()
      if (op === opcode.jump || op === opcode.jumpI)
        return jump(program, { at, stack, memory }, args, op, trace)
      const result = evaluate(op, args, memory, input, trace)
      if (arity.gives === 1) stack.push(result)
    }
    if (stack.length > stackMax) {
      trace.isComplete = false
      return []
    }
  }
  return []
}

function jump(
  program: Program,
  path: Path,
  args: SymbolicWord[],
  op: number,
  trace: Trace,
): Path[] {
  const [target, condition] = args as [SymbolicWord, SymbolicWord | undefined]
  const paths: Path[] = []
  const isTaken = op === opcode.jump || condition !== 0n
  const isPassed = op === opcode.jumpI && (typeof condition !== 'bigint' || condition === 0n)
  if (isPassed)
    paths.push({ at: path.at + 1, stack: [...path.stack], memory: new Map(path.memory) })
  if (isTaken) {
    if (typeof target !== 'bigint') trace.isComplete = false
    else {
      const at = program.targets.get(target)
      if (at !== undefined) paths.push({ at, stack: path.stack, memory: path.memory })
    }
  }
  return paths
}

const comparisons: ReadonlySet<number> = new Set([opcode.eq, opcode.xor, opcode.sub])

function evaluate(
  op: number,
  args: readonly SymbolicWord[],
  memory: Map<number, SymbolicWord>,
  input: bigint,
  trace: Trace,
): SymbolicWord {
  const [a = null, b = null] = args
  switch (op) {
    case opcode.callDataLoad:
      return a === 0n ? input : null
    case opcode.mLoad:
      return typeof a === 'bigint' ? (memory.get(Number(a)) ?? null) : null
    case opcode.mStore:
      writeMemory(memory, a, b)
      return null
    case opcode.keccak256:
      return hashOf(memory, a, b, trace)
    case opcode.caller:
    case opcode.origin:
      return callerMarker
    case opcode.sLoad:
      trace.reads.add(placeName(a))
      return typeof a === 'bigint' ? storedWord(a) : null
    case opcode.sStore:
      trace.writes.add(placeName(a))
      return null
    default:
      if (comparisons.has(op)) compare(a, b, input, trace)
      if (writesMemory.has(op)) memory.clear()
      return args.length === 1
        ? evaluateUnary(op, a)
        : args.length === 2
          ? evaluateBinary(op, a, b)
          : null
  }
}

function placeName(word: SymbolicWord): string {
  return word === null || word === callerMarker || readStoredWord(word) ? anySlot : slotName(word)
}

// Smaller numbers are not addresses of accounts.
const accountMin = 1n << 96n
const accountEnd = 1n << 160n

function compare(a: SymbolicWord, b: SymbolicWord, input: bigint, trace: Trace): void {
  if (a !== 0n && a === b && a === input >> 224n) trace.isEntered = true
  if (a !== callerMarker && b !== callerMarker) return
  const other = a === callerMarker ? b : a
  const stored = readStoredWord(other)
  if (stored !== null) trace.callerChecks.add(`${stored.slot} ${stored.shift}`)
  else if (typeof other === 'bigint' && other >= accountMin && other < accountEnd)
    trace.callerChecks.add(`account 0x${other.toString(16).padStart(40, '0')}`)
}

// Copies and calls write to memory where their operands say. The walk then forgets all memory;
// scratch space is rewritten before each hash.
const writesMemory: ReadonlySet<number> = new Set([
  0x37,
  0x39,
  0x3c,
  0x3e,
  0x53,
  0x5e,
  opcode.call,
  opcode.callCode,
  opcode.delegateCall,
  opcode.staticCall,
])

function writeMemory(
  memory: Map<number, SymbolicWord>,
  offset: SymbolicWord,
  word: SymbolicWord,
): void {
  if (typeof offset !== 'bigint' || offset > 0xff_ffffn) {
    memory.clear()
    return
  }
  const at = Number(offset)
  // A word that overlaps another replaces part of it.
  for (const near of memory.keys()) if (near !== at && Math.abs(near - at) < 32) memory.delete(near)
  if (memory.size >= memoryWordsMax) memory.clear()
  memory.set(at, word)
}

function hashOf(
  memory: ReadonlyMap<number, SymbolicWord>,
  offset: SymbolicWord,
  size: SymbolicWord,
  trace: Trace,
): SymbolicWord {
  if (typeof offset !== 'bigint') return null
  const at = Number(offset)
  const first = memory.get(at) ?? null
  if (size !== 64n) return size === 32n ? hashedKey(first, undefined) : null
  const second = memory.get(at + 32) ?? null
  const key = hashedKey(first, second)
  if (first === callerMarker || second === callerMarker)
    trace.callerLists.add(key === null ? anySlot : slotName(key))
  return key
}
