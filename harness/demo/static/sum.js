/** Add the numbers up; 0 for none. */
export function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
