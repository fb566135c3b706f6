import type { Turns } from './turns.ts'

/** Work that can stop after each of its steps, which are short, and go on later. */
export type Steps<result> = Generator<void, result, void>

// Looking at the clock, and stopping, cost a part of what is done for one item of a request.
export const itemsPerStep = 32

type StepsOptions = {
  turns: Turns
  /** Among other long work. */
  place: number
  isWanted(): boolean
}

/**
 * Does the work, in this turn as far as it goes and then in later ones: then the result is a promise, of null if it was not
 * wanted any more.
 */
export function runSteps<result>(
  steps: Steps<result>,
  options: StepsOptions,
): { result: result } | Promise<{ result: result } | null> {
  return stepsOfTurn(steps, options.turns) ?? goOn(steps, options)
}

async function goOn<result>(
  steps: Steps<result>,
  { turns, place, isWanted }: StepsOptions,
): Promise<{ result: result } | null> {
  for (;;) {
    await turns.next(place)
    if (!isWanted()) {
      steps.return(undefined as never)
      return null
    }
    const done = stepsOfTurn(steps, turns)
    if (done !== null) return done
  }
}

/** Null: this turn is over, and the work is not. */
function stepsOfTurn<result>(steps: Steps<result>, turns: Turns): { result: result } | null {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return { result: step.value }
    if (turns.isOver()) return null
  }
}

/** The JSON of a value, its long lists part by part. */
export function* encodeSteps(value: unknown): Steps<string> {
  if (Array.isArray(value)) return yield* encodeList(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members: string[] = []
  for (const [name, member] of Object.entries(value))
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${yield* encodeSteps(member)}`)
  return `{${members.join()}}`
}

function* encodeList(list: readonly unknown[]): Steps<string> {
  const parts: string[] = []
  for (let at = 0; at < list.length; at += itemsPerStep) {
    if (at > 0) yield
    parts.push(JSON.stringify(list.slice(at, at + itemsPerStep)).slice(1, -1))
  }
  return `[${parts.join()}]`
}
