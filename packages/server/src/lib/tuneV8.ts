import { setFlagsFromString } from 'node:v8'

const flags = [
  // What lives through one collection V8 allocates among the old objects from then on, and throws away all code that
  // allocated it elsewhere. Here it is mostly a block on its way through the stages, dead a moment later.
  '--no-allocation-site-pretenuring',
  // Inlining up to the default, 920, makes the compiler work longer for code that is no faster.
  '--max-inlined-bytecode-size-cumulative=400',
]

/** For the whole process, its threads included. What is compiled already stays as it is, so call it first. */
export function tuneV8(): void {
  for (const flag of flags) setFlagsFromString(flag)
}
