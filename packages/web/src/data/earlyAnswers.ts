import { currentKey } from './session.ts'

/** Answers that are on their way before the program that shows them is there, by their addresses. */
const answers = new Map<string, Promise<Response>>()

export function askEarly(path: string): void {
  const url = new URL(path, location.href).href
  const answer = currentKey().then((key) => fetch(url, { headers: { 'X-API-KEY': key } }))
  // Whoever takes it is told.
  answer.catch(() => undefined)
  answers.set(url, answer)
}

/** Once: what is asked for again is asked for again. */
export function takeEarly(url: string): Promise<Response> | undefined {
  const answer = answers.get(url)
  answers.delete(url)
  return answer
}
