import { hasEnded } from '@expert-relay/sdk/internal';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useEscape } from '../ui/escape.ts';
import { createStore, useStore } from '../ui/store.ts';
import { bringTo } from './bring-to.ts';
import { formToDecide } from './open-form.ts';
import { awayOf, unreadOf } from './shown-texts.ts';
import type { FollowedConversation } from './use-conversation.ts';
import type { Drafts } from './use-drafts.ts';

// When a press counts is in docs/crypto-answers.md, "In the web app".

/**
 * A press that sends, or opens. It is taken for what was displayed, counts as made when that was in view for a second, and acts once the
 * expert key is there, if it is needed.
 */
interface Press {
  /** The name of its button. */
  readonly name: string;
  readonly act: () => void;
  /** The end of the form, if it decides about one. */
  readonly last: string | undefined;
  readonly displayed: readonly unknown[];
}

/** A press that leads to what is out of view, up to its end. */
interface Led {
  readonly last: string | undefined;
  /** What was in view at the press: it stays there until its second is over. Undefined once the press has led. */
  readonly reading: readonly string[] | undefined;
  readonly displayed: readonly unknown[];
}

export interface Presses {
  /** Why the last press has not acted yet, or was not taken. */
  readonly hint: string;
  /** The name of the button whose press waits. */
  readonly waitingButton: string | undefined;
  /** It waits for nothing but the expert key. */
  readonly needsKey: boolean;
  /** Takes back the press that waits. */
  cancel(): void;
  /** What the button of this name says in place of it: no longer than a name, so that the button stays as high. */
  saysOn(name: string): string | undefined;
  /** Whether a press would lead to a text that is out of view. */
  isAway(last?: string): boolean;
  /** Acts at once if all texts were shown, or as soon as they were. */
  take(name: string, act: () => void, last?: string): void;
  /** Says why something was not sent, until the next press. */
  say(text: string): void;
  /** Notes a press on any button, and whether it was dropped. */
  onPress(name: string, isDropped: boolean): void;
}

/** About a press in a request that the expert has left since, until the next press. */
const left = createStore('');

const canHover = matchMedia('(hover: hover)').matches;

/** The presses of the reply area of one request. `hasKey`: they need no expert key, or it is in this browser. */
export function usePresses(conversation: FollowedConversation, drafts: Drafts, hasKey: boolean): Presses {
  const { now, state } = conversation;
  const [waiting, setWaiting] = useState<Press>();
  const [led, setLed] = useState<Led>();
  /** The end that the last press has led to. */
  const ledTo = useRef<string>(undefined);
  const [said, say] = useState('');
  const [dropped, setDropped] = useState<string>();
  const saidBefore = useStore(left);
  const { request, refusal } = now;

  /** What a press is for. The sentences say what has changed. */
  const displayed = [
    now.messages.filter(({ from }) => from === 'agent').length,
    `${formToDecide(now)?.of} ${request?.decision}`,
    (request && hasEnded(request)) || refusal,
    useStore(drafts.text.text),
    useStore(drafts.form.text),
    useStore(conversation.files),
  ];
  const changeSince = (press: Press | Led) => displayed.findIndex((one, at) => one !== press.displayed[at]);
  const changes = ['the agent wrote meanwhile', 'it was decided elsewhere', 'the request has changed'];

  const latest = useRef(waiting);
  latest.current = waiting;
  const drop = useCallback((why = '') => {
    latest.current = undefined;
    setWaiting(undefined);
    say(why);
  }, []);

  function forget(): void {
    say('');
    setDropped(undefined);
    left.set('');
    setLed(undefined);
  }

  function lead(last: string | undefined): void {
    const { inView } = state.get();
    setLed({ last, reading: unreadOf(state.get(), last).filter((end) => inView.has(end)), displayed });
  }

  useEffect(() => {
    if (!led) return;
    const { last, reading } = led;
    const away = awayOf(now, last);
    if (away === undefined) return setLed(undefined);
    if (reading?.some((end) => !now.shown.has(end) && now.inView.has(end)) ?? true) return;
    setLed({ ...led, reading: undefined });
    // It would take the focus from one who types on.
    if (changeSince(led) >= 0) return;
    ledTo.current = away;
    bringTo(away, () => state.get().shown.has(away));
  });

  useEffect(() => {
    if (!waiting) return;
    const { last, act } = waiting;
    const changed = changeSince(waiting);
    const isRead = unreadOf(state.get(), last).length === 0;
    const isAway = awayOf(now, last) !== undefined;
    if (changed < 0 && (isRead ? !hasKey : !isAway)) return;
    drop(changed >= 0 ? `Not sent: ${changes[changed] ?? 'what you wrote has changed'}.` : '');
    if (changed >= 0) return;
    // `act` may use `flushSync`, which React refuses during an effect.
    if (isRead) queueMicrotask(act);
    else lead(last);
  });

  const isWaiting = waiting !== undefined;
  const needsKey = isWaiting && !hasKey && unreadOf(now, waiting.last).length === 0;
  useEffect(() => {
    if (!isWaiting) return;
    // Else it would send when the expert comes back, perhaps an hour later. With the key, another press is made here first.
    const onVisibility = () => {
      if (document.visibilityState === 'hidden' && !needsKey) drop('Not sent: the page was hidden.');
    };
    document.addEventListener('visibilitychange', onVisibility);
    return () => document.removeEventListener('visibilitychange', onVisibility);
  }, [isWaiting, needsKey, drop]);
  useEscape(isWaiting, () => drop('Taken back.'));

  const refCode = request?.refCode;
  useEffect(
    () => () => {
      ledTo.current = undefined;
      if (latest.current) left.set(`Nothing was sent to ${refCode}: you left it too soon.`);
    },
    [refCode],
  );

  const hint = led && awayOf(now, led.last) !== undefined ? 'Read to the end first.' : said || saidBefore;
  return {
    hint: waiting && !needsKey ? `Sending in a moment.${canHover ? ' Escape takes it back.' : ''}` : hint,
    waitingButton: waiting?.name,
    needsKey,
    cancel: () => drop(),
    saysOn: (name) => (waiting?.name === name ? 'Sending…' : dropped === name ? 'Press again' : undefined),
    isAway: (last) => awayOf(now, last) !== undefined,
    take(name, act, last) {
      forget();
      const unread = unreadOf(state.get(), last);
      if (awayOf(state.get(), last) !== undefined) lead(last);
      else if (hasKey && unread.length === 0) act();
      // The second press of a double click: it does not send what the first one has only brought into view.
      else if (ledTo.current !== undefined && unread.includes(ledTo.current)) {
        setDropped(name);
        say('Read this first, then press again.');
      } else setWaiting({ name, act, last, displayed });
    },
    say,
    onPress(name, isDropped) {
      if (isDropped) {
        setDropped(name);
        return say('Press again: this button has just appeared.');
      }
      // The steps of the key are no press on what it waits with.
      if (needsKey) return say('');
      drop();
      forget();
    },
  };
}
