// What an instruction takes from the stack and puts there; PUSH, DUP and SWAP are not among them.
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

export type Arity = { takes: number; gives: number }

/** By opcode; undefined is no instruction. */
export const arityOf: readonly (Arity | undefined)[] = makeTable()

function makeTable(): (Arity | undefined)[] {
  const table = new Array<Arity | undefined>(256).fill(undefined)
  for (const [codes, takes, gives] of takesAndGives)
    for (const code of codes.split(' ')) table[Number.parseInt(code, 16)] = { takes, gives }
  return table
}
