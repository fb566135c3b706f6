import { AppError } from '../../lib/errors.ts'

/**
 * Two venues share an event and their pools cannot be told apart, so trades of one would be read as
 * the other's.
 */
export class VenuesAlikeError extends AppError {
  constructor({ one, other, why }: { one: string; other: string; why: string }) {
    super('VENUES_ALIKE', `The venues ${one} and ${other} ${why}.`, {
      meta: [
        'Give one of them a mark: a view function that its pools answer and those of the other do not.',
      ],
    })
  }
}
