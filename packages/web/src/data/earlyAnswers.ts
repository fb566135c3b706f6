import { currentKey } from './session.ts'

/** Requests started before the program that shows their answers is loaded, by address. */
const answers = new Map<string, Promise<Response>>()

export function askEarly(path: string): void {
  const url = new URL(path, location.href).href
  const answer = currentKey().then((key) => fetch(url, { headers: { 'X-API-KEY': key } }))
  // The caller that takes it handles the error.
  answer.catch(() => undefined)
  answers.set(url, answer)
}

/** Returns an answer once: a repeated request is sent again. */
export function takeEarly(url: string): Promise<Response> | undefined {
  const answer = answers.get(url)
  answers.delete(url)
  return answer
}
