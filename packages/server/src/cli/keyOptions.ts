import { InvalidArgumentError } from 'commander'

// A century: whoever means never leaves it out.
const secondsMax = 3_200_000_000

/** An id of `keys list`. */
export function parseKeyId(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be the number of a key.')
  return Number(text)
}

export function parseSeconds(text: string): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) > secondsMax)
    throw new InvalidArgumentError('It must be a number of seconds.')
  return Number(text)
}

export function parseLifetime(text: string): number {
  const seconds = parseSeconds(text)
  if (seconds === 0) throw new InvalidArgumentError('It must be at least one second.')
  return seconds
}

export function parseKeyName(text: string): string {
  if (!/^\P{C}{1,100}$/u.test(text))
    throw new InvalidArgumentError('It must have 1 to 100 printable characters.')
  return text
}
