import {
  Bell,
  BellOff,
  Keyboard,
  LogOut,
  MessageSquareOff,
  MessageSquareText,
  Monitor,
  Moon,
  Pencil,
  Sun,
  Volume2,
  VolumeX,
} from "lucide-react";
import { useState } from "react";
import { printableText } from "../../../packages/client/src/printable.ts";
import { useNotices } from "../common/notices.tsx";
import { setPreferences, usePreferences } from "../common/preferences.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { askForNotifications, notificationPermission } from "../notify/permission.ts";
import { NameForm } from "../session/name-form.tsx";
import { useSession } from "../session/session-provider.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { initials } from "../ui/initials.ts";
import { Menu } from "../ui/menu/menu.tsx";
import { signOut, signOutProblem } from "./sign-out.ts";
import { texts } from "./texts.ts";

const themes = [
  { theme: "system", Icon: Monitor },
  { theme: "light", Icon: Sun },
  { theme: "dark", Icon: Moon },
] as const;

/** Name, theme, sound, notifications, keys and sign-out. */
export function ProfileMenu() {
  const { person } = useWorkspace();
  const { reload } = useSession();
  const { show } = useNotices();
  const [isNaming, setNaming] = useState(false);
  const { theme, sound, notifications, notificationTexts, keys } = usePreferences();
  const nextTheme = themes[(themes.findIndex((each) => each.theme === theme) + 1) % themes.length] ?? themes[0];
  const permission = notificationPermission();
  const areShown = notifications && permission === "allowed";
  const toggleNotifications = async () => {
    if (areShown) return setPreferences({ notifications: false });
    const permission = await askForNotifications({ title: texts.name, body: texts.notificationsOn });
    setPreferences({ notifications: permission === "allowed" });
    if (permission !== "allowed") show({ text: texts.notificationProblems[permission], kind: "problem" });
  };
  const signOutFailed = (error: unknown) => show({ text: signOutProblem(error), kind: "problem" });
  const name = printableText(person.name);
  const state = (isOn: boolean) => (isOn ? "on" : "off");
  return (
    <>
      <Menu
        label={texts.profile}
        className="me"
        button={initials(name)}
        items={[
          { label: texts.changeName, icon: <Pencil size={16} />, onSelect: () => setNaming(true) },
          {
            label: `${texts.theme}: ${texts.themes[theme]}`,
            icon: <nextTheme.Icon size={16} />,
            onSelect: () => setPreferences({ theme: nextTheme.theme }),
          },
          {
            label: `${texts.sound}: ${state(sound)}`,
            icon: sound ? <Volume2 size={16} /> : <VolumeX size={16} />,
            onSelect: () => setPreferences({ sound: !sound }),
          },
          {
            label: `${texts.notifications}: ${permission === "allowed" || permission === "unasked" ? state(areShown) : texts.notificationStates[permission]}`,
            icon: areShown ? <Bell size={16} /> : <BellOff size={16} />,
            onSelect: () => void toggleNotifications(),
          },
          ...(areShown
            ? [
                {
                  label: `${texts.notificationTexts}: ${state(notificationTexts)}`,
                  icon: notificationTexts ? <MessageSquareText size={16} /> : <MessageSquareOff size={16} />,
                  onSelect: () => setPreferences({ notificationTexts: !notificationTexts }),
                },
              ]
            : []),
          {
            label: `${texts.singleKeys}: ${state(keys)}`,
            icon: <Keyboard size={16} />,
            onSelect: () => setPreferences({ keys: !keys }),
          },
          {
            label: texts.signOut,
            icon: <LogOut size={16} />,
            isDanger: true,
            onSelect: () => void signOut().catch(signOutFailed),
          },
        ]}
      >
        <p className="menu-head">
          <b dir="auto">{name}</b>
          <br />
          {texts.signedInAs(printableText(person.email))}
        </p>
      </Menu>
      {isNaming ? (
        <Dialog title={texts.changeName} onClose={() => setNaming(false)}>
          <NameForm
            name={person.name}
            onCancel={() => setNaming(false)}
            onSaved={() => {
              setNaming(false);
              void reload();
            }}
          />
        </Dialog>
      ) : null}
    </>
  );
}
