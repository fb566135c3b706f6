/** One EVM instruction. `value` is the constant that a PUSH carries, null for all others. */
export type Instruction = { pc: number; op: number; value: bigint | null }

export const opcode = {
  stop: 0x00,
  sub: 0x03,
  lt: 0x10,
  gt: 0x11,
  eq: 0x14,
  isZero: 0x15,
  xor: 0x18,
  keccak256: 0x20,
  origin: 0x32,
  caller: 0x33,
  callDataLoad: 0x35,
  extCodeSize: 0x3b,
  extCodeHash: 0x3f,
  timestamp: 0x42,
  number: 0x43,
  pop: 0x50,
  mLoad: 0x51,
  mStore: 0x52,
  mStore8: 0x53,
  sLoad: 0x54,
  sStore: 0x55,
  jump: 0x56,
  jumpI: 0x57,
  jumpDest: 0x5b,
  push0: 0x5f,
  push1: 0x60,
  push32: 0x7f,
  dup1: 0x80,
  dup16: 0x8f,
  swap1: 0x90,
  swap16: 0x9f,
  create: 0xf0,
  call: 0xf1,
  callCode: 0xf2,
  return: 0xf3,
  delegateCall: 0xf4,
  create2: 0xf5,
  staticCall: 0xfa,
  revert: 0xfd,
  invalid: 0xfe,
  selfDestruct: 0xff,
} as const

/**
 * Returns all instructions in order. The bytes that a PUSH carries are data, even if they look like
 * instructions.
 */
export function readInstructions(code: Uint8Array): Instruction[] {
  const instructions: Instruction[] = []
  for (let pc = 0; pc < code.length; pc += 1) {
    const op = code[pc]!
    const size = pushSize(op)
    if (size < 0) {
      instructions.push({ pc, op, value: null })
      continue
    }
    let value = 0n
    // Code that ends inside a PUSH is padded with zeros.
    for (let i = 1; i <= size; i += 1) value = (value << 8n) | BigInt(code[pc + i] ?? 0)
    instructions.push({ pc, op, value })
    pc += size
  }
  return instructions
}

/** Number of bytes that a PUSH carries; -1 for all other instructions. */
export function pushSize(op: number): number {
  return op >= opcode.push0 && op <= opcode.push32 ? op - opcode.push0 : -1
}

export function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.slice(2), 'hex'))
}

// Words an instruction pops and pushes. PUSH, DUP and SWAP are handled elsewhere.
const takesAndGives: readonly (readonly [string, number, number])[] = [
  ['01 02 03 04 05 06 07 0a 0b 10 11 12 13 14 16 17 18 1a 1b 1c 1d 20', 2, 1],
  ['08 09', 3, 1],
  ['15 19 1e 31 35 3b 3f 40 49 51 54 5c', 1, 1],
  ['30 32 33 34 36 38 3a 3d 41 42 43 44 45 46 47 48 4a 58 59 5a', 0, 1],
  ['37 39 3e 5e', 3, 0],
  ['3c', 4, 0],
  ['50 56 ff', 1, 0],
  ['52 53 55 57 5d f3 fd a0', 2, 0],
  ['5b 00 fe', 0, 0],
  ['a1', 3, 0],
  ['a2', 4, 0],
  ['a3', 5, 0],
  ['a4', 6, 0],
  ['f0', 3, 1],
  ['f5', 4, 1],
  ['f1 f2', 7, 1],
  ['f4 fa', 6, 1],
]

type Arity = { takes: number; gives: number }

/** Indexed by opcode; undefined if the opcode does not exist. */
export const arityOf: readonly (Arity | undefined)[] = makeTable()

function makeTable(): (Arity | undefined)[] {
  const table = new Array<Arity | undefined>(256).fill(undefined)
  for (const [codes, takes, gives] of takesAndGives)
    for (const code of codes.split(' ')) table[Number.parseInt(code, 16)] = { takes, gives }
  return table
}
