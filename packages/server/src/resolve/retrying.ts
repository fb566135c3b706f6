import type { Clock } from './clock.ts'
import { ReadUnansweredError } from './errors.ts'

export type RetryOptions = { what: string; attemptsMax: number; clock: Clock }

const delayFirstMs = 50
const delayMaxMs = 1_000

/** Asks until there is an answer: for what cannot be guessed and must not be left out. */
export async function retrying<answer>(
  ask: () => Promise<answer>,
  { what, attemptsMax, clock }: RetryOptions,
): Promise<answer> {
  let delayMs = delayFirstMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (cause) {
      if (attempt >= attemptsMax) throw new ReadUnansweredError({ what, attempts: attempt, cause })
    }
    await clock.sleep(delayMs)
    delayMs = Math.min(2 * delayMs, delayMaxMs)
  }
}
